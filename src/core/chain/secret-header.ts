/**
 * Owns: the form in which the egress proxy adds a secret to requests: a header such as `Authorization: Bearer {}`, with {}
 * for the value. `Basic user:{}` is encoded as that header needs it.
 */
import { OkaError } from '../schema/errors.ts';
import type { ProxyHeader } from '../schema/tool.ts';

/** What a command finds where it would otherwise find the value. */
export const PLACEHOLDER = 'added-by-the-proxy';

/** Headers that say where a request goes or how it is framed. */
const NOT_OURS =
  /^(?:host|content-length|transfer-encoding|connection|proxy-.*|te|trailer|upgrade|expect|keep-alive|http2-settings)$/i;

export function assertSecretHeader(header: string): void {
  const { name, text } = partsOf(header);
  if (name !== '' && !NOT_OURS.test(name) && text.split('{}').length === 2) return;
  throw new OkaError('usage', `"${header.slice(0, 100)}" is not a header with a place for the value`, {
    fix: 'Write the name and the text with {} for the value, such as --header "Authorization: Bearer {}".',
  });
}

/** The value has to fit into one line of a header. */
export function toProxyHeader(header: string, value: string, hosts: readonly string[]): ProxyHeader {
  const { name, text } = partsOf(header);
  const plain = value.trim();
  if (!/^[\x20-\x7e]+$/.test(plain))
    throw new OkaError('refused', 'the secret has characters that no header can carry');
  const [, user] = /^Basic ([^\s:{}]*):\{\}$/i.exec(text) ?? [];
  const filled =
    user === undefined
      ? text.replace('{}', () => plain)
      : `Basic ${Buffer.from(`${user}:${plain}`).toString('base64')}`;
  return { name, value: filled, hosts: [...hosts] };
}

function partsOf(header: string): { name: string; text: string } {
  const [, name = '', text = ''] = /^([A-Za-z0-9-]+):\s*([\x20-\x7e]+)$/.exec(header) ?? [];
  return { name, text };
}
