import { describe, expect, it } from 'vitest';
import { isLoopback } from '../../../src/kit/models/base-url.ts';
import { builtInProviders } from '../../../src/kit/models/built-in-providers.ts';

const baseUrlOf = (provider: string, configured: string | undefined, variables: Record<string, string>): string =>
  builtInProviders.find(({ name }) => name === provider)?.baseUrl(configured, variables) ?? '';

describe('the address of a provider', () => {
  it.each<[string, Record<string, string>, string]>([
    ['openai', {}, 'https://api.openai.com/v1'],
    ['openai', { OPENAI_BASE_URL: '' }, 'https://api.openai.com/v1'],
    ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:1234' }, 'http://127.0.0.1:1234/v1'],
    ['openai', { OPENAI_BASE_URL: 'https://gateway.example/openai/' }, 'https://gateway.example/openai'],
    ['anthropic', {}, 'https://api.anthropic.com/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' }, 'https://api.anthropic.com/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'https://gw.example/anthropic/v1/' }, 'https://gw.example/anthropic/v1'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'https://gw.example/anthropic' }, 'https://gw.example/anthropic/v1'],
    ['ollama', {}, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434/v1'],
    ['ollama', { OLLAMA_HOST: '0.0.0.0:8080' }, 'http://127.0.0.1:8080/v1'],
    ['ollama', { OLLAMA_HOST: ':9999' }, 'http://127.0.0.1:9999/v1'],
    ['ollama', { OLLAMA_HOST: 'box.lan' }, 'http://box.lan:11434/v1'],
    ['ollama', { OLLAMA_HOST: 'https://ollama.example' }, 'https://ollama.example/v1'],
    ['custom', { OKA_MODEL_URL: 'http://127.0.0.1:8080/v1' }, 'http://127.0.0.1:8080/v1'],
  ])('%s with %j is called at %s', (provider, written, url) => {
    expect(baseUrlOf(provider, undefined, written)).toBe(url);
  });

  it('what config.json says goes before the environment', () => {
    expect(baseUrlOf('openai', 'https://other.example/v2', { OPENAI_BASE_URL: 'http://x' })).toBe(
      'https://other.example/v2',
    );
  });

  it.each<[string, Record<string, string>, string]>([
    ['custom', {}, 'a custom model needs the address of its server'],
    ['openai', { OPENAI_BASE_URL: 'localhost' }, 'OPENAI_BASE_URL is not an address'],
    ['openai', { OPENAI_BASE_URL: 'file:///etc/passwd' }, 'OPENAI_BASE_URL is not http or https'],
    ['anthropic', { ANTHROPIC_BASE_URL: 'https://me:secret@x.example' }, 'ANTHROPIC_BASE_URL contains a password'],
  ])('%s with %j is refused: %s', (provider, written, message) => {
    expect(() => baseUrlOf(provider, undefined, written)).toThrow(message);
    expect(() => baseUrlOf(provider, undefined, written)).not.toThrow('secret');
  });
});

it('knows this machine by its names', () => {
  const own = ['http://localhost:1/v1', 'http://127.3.2.1/', 'http://[::1]:5/'];
  expect(own.map(isLoopback)).toEqual([true, true, true]);
  expect(isLoopback('http://localhost.example.org')).toBe(false);
});
