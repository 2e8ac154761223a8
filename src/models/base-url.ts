/** Owns: the base URL of a provider: its usual address, or what people set in the usual environment variables. */
import { OkaError } from '../schema/errors.ts';
import type { ModelProvider } from '../schema/model.ts';

type Written = Readonly<
  Partial<Record<'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL' | 'OLLAMA_HOST' | 'OKA_MODEL_URL', string>>
>;

/** The address to which the path of a call is appended. Throws if the configured one cannot be parsed. */
export function baseUrlOf(provider: ModelProvider, configured: string | undefined, written: Written): string {
  switch (provider) {
    case 'openai':
      return withVersionPath(configured ?? (written.OPENAI_BASE_URL || 'https://api.openai.com/v1'), 'OPENAI_BASE_URL');
    case 'anthropic':
      return anthropicUrl(configured ?? (written.ANTHROPIC_BASE_URL || 'https://api.anthropic.com/v1'));
    case 'ollama':
      return withVersionPath(configured ?? ollamaUrl(written.OLLAMA_HOST || '127.0.0.1'), 'OLLAMA_HOST');
    case 'custom':
      return customUrl(configured ?? written.OKA_MODEL_URL ?? '');
    case 'scripted':
      return '';
  }
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** OpenAI's own address ends in /v1, and so does that of nearly every compatible server. */
function withVersionPath(text: string, where: string): string {
  const url = parseUrl(text, where);
  if (url.pathname === '/') url.pathname = '/v1';
  return trimUrl(url);
}

/** Other Anthropic clients append /v1 themselves, so the variable is usually set without it. */
function anthropicUrl(text: string): string {
  const url = parseUrl(text, 'ANTHROPIC_BASE_URL');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/v1') ? path : `${path}/v1`;
  return trimUrl(url);
}

/** Ollama's own rules: port 11434 unless a scheme is given. A server listens on 0.0.0.0, but cannot be called there. */
function ollamaUrl(text: string): string {
  const host = text.trim().replace(/^:/, '127.0.0.1:');
  const url = parseUrl(host.includes('://') ? host : `http://${host}`, 'OLLAMA_HOST');
  if (!host.includes('://') && url.port === '' && !/:80(\/|$)/.test(host)) url.port = '11434';
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  return trimUrl(url);
}

function customUrl(text: string): string {
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
