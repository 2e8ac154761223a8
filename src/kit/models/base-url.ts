/** Owns: parsing and completing the base URL of a provider, as people write it in config.json or the environment. */
import { OkaError } from '../../core/schema/errors.ts';

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** OpenAI's own address ends in /v1, and so does that of nearly every compatible server. */
export function withVersionPath(text: string, where: string): string {
  const url = parseUrl(text, where);
  if (url.pathname === '/') url.pathname = '/v1';
  return trimUrl(url);
}

/** Other Anthropic clients append /v1 themselves, so the variable is usually set without it. */
export function anthropicUrl(text: string): string {
  const url = parseUrl(text, 'ANTHROPIC_BASE_URL');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/v1') ? path : `${path}/v1`;
  return trimUrl(url);
}

/** Ollama's own rules: port 11434 unless a scheme is given. A server listens on 0.0.0.0, but cannot be called there. */
export function ollamaUrl(text: string): string {
  const host = text.trim().replace(/^:/, '127.0.0.1:');
  const url = parseUrl(host.includes('://') ? host : `http://${host}`, 'OLLAMA_HOST');
  if (!host.includes('://') && url.port === '' && !/:80(\/|$)/.test(host)) url.port = '11434';
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  return trimUrl(url);
}

export function customUrl(text: string): string {
  if (text !== '') return withVersionPath(text, 'OKA_MODEL_URL');
  throw new OkaError('usage', 'a custom model needs the address of its server', {
    fix: 'Set OKA_MODEL_URL, such as http://127.0.0.1:8080/v1, or base_url of this model in config.json.',
  });
}

function parseUrl(text: string, where: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  const why = url === null ? 'is not an address' : url.username === '' ? 'is not http or https' : 'contains a password';
  throw new OkaError('usage', `${where} ${why}`, {
    fix: `Write it like https://example.org/v1; a key belongs in the vault.`,
  });
}

function trimUrl(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
