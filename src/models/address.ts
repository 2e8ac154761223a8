/** Where providers listen: the usual places, and what people write into the usual environment names. */
import { OkaError } from '../schema/errors.ts';
import type { ModelProvider } from '../schema/model.ts';

type Written = Readonly<
  Partial<Record<'OPENAI_BASE_URL' | 'ANTHROPIC_BASE_URL' | 'OLLAMA_HOST' | 'OKA_MODEL_URL', string>>
>;

/** The address to which the path of a call is added. Throws for one that cannot be read. */
export function baseUrlOf(provider: ModelProvider, configured: string | undefined, written: Written): string {
  switch (provider) {
    case 'openai':
      return versioned(configured ?? (written.OPENAI_BASE_URL || 'https://api.openai.com/v1'), 'OPENAI_BASE_URL');
    case 'anthropic':
      return anthropic(configured ?? (written.ANTHROPIC_BASE_URL || 'https://api.anthropic.com/v1'));
    case 'ollama':
      return versioned(configured ?? ollama(written.OLLAMA_HOST || '127.0.0.1'), 'OLLAMA_HOST');
    case 'custom':
      return custom(configured ?? written.OKA_MODEL_URL ?? '');
    case 'scripted':
      return '';
  }
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** OpenAI's own address ends in /v1, and so does that of nearly every server that speaks like it. */
function versioned(text: string, where: string): string {
  const url = parsed(text, where);
  if (url.pathname === '/') url.pathname = '/v1';
  return bare(url);
}

/** Other clients of Anthropic add /v1 themselves, so that the variable is usually written without it. */
function anthropic(text: string): string {
  const url = parsed(text, 'ANTHROPIC_BASE_URL');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith('/v1') ? path : `${path}/v1`;
  return bare(url);
}

/** Ollama's own rules: 11434 unless a scheme is given. 0.0.0.0 is where a server listens, not where one can call. */
function ollama(text: string): string {
  const host = text.trim().replace(/^:/, '127.0.0.1:');
  const url = parsed(host.includes('://') ? host : `http://${host}`, 'OLLAMA_HOST');
  if (!host.includes('://') && url.port === '' && !/:80(\/|$)/.test(host)) url.port = '11434';
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  return bare(url);
}

function custom(text: string): string {
  if (text !== '') return versioned(text, 'OKA_MODEL_URL');
  throw new OkaError('usage', 'a custom model needs to know where its server listens', {
    fix: 'Set OKA_MODEL_URL, such as http://127.0.0.1:8080/v1, or base_url of this model in config.json.',
  });
}

function parsed(text: string, where: string): URL {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  const why = url === null ? 'is not an address' : url.username === '' ? 'is not http or https' : 'carries a password';
  throw new OkaError('usage', `${where} ${why}`, {
    fix: `Write it like https://example.org/v1; a key belongs into the vault.`,
  });
}

function bare(url: URL): string {
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
