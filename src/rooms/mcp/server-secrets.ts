/**
 * Owns: values of secrets for a server, in its environment or its headers.
 *
 * V1 A server gets a secret that a person has named for it (`--tool mcp.<server>`); elsewhere, also for its host.
 * V2 A header with a secret goes over https, or stays on this machine.
 */
import { OkaError } from '../../core/schema/errors.ts';
import type { HttpServer } from '../../core/schema/mcp.ts';
import type { Credential } from '../../core/schema/ports.ts';
import { isLoopback } from '../../kit/models/base-url.ts';

/** The texts with their secrets filled in. `url` is the address they are sent to; null for a server that runs here. */
export type RevealForServer = (
  server: string,
  texts: Readonly<Record<string, string>>,
  url: URL | null,
) => Promise<Record<string, string>>;

const NAME = /secret:([A-Za-z0-9][A-Za-z0-9_.-]{0,119})/g;

export function revealForServer(find: (name: string) => Promise<Credential | null>): RevealForServer {
  return async (server, texts, url) => {
    const filled: Record<string, string> = {};
    for (const [key, text] of Object.entries(texts)) {
      let value = text;
      for (const [whole, name = ''] of text.matchAll(NAME))
        value = value.replaceAll(whole, await valueFor(find, name, server, url));
      filled[key] = value;
    }
    return filled;
  };
}

/** Whether a person has given the server a token in its entry. */
export const hasAuthorization = ({ headers }: HttpServer): boolean =>
  Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');

async function valueFor(
  find: (name: string) => Promise<Credential | null>,
  name: string,
  server: string,
  url: URL | null,
): Promise<string> {
  const tool = `mcp.${server}`;
  const fix = `A person can set it: oka secrets set ${name} --tool ${tool}${url === null ? '' : ` --host ${url.host}`}`;
  const secret = await find(name);
  if (secret === null)
    throw new OkaError('not-set-up', `there is no secret "${name}" for the server ${server}`, { fix });
  if (
    !secret.tools.includes(tool) ||
    (url !== null && ![url.host, url.hostname].some((host) => secret.hosts.includes(host)))
  )
    throw new OkaError('not-permitted', `the secret ${name} may not be given to the server ${server}`, { fix });
  if (url !== null && url.protocol !== 'https:' && !isLoopback(url.href))
    throw new OkaError('not-permitted', `the server ${server} is not addressed by https, so it gets no secret`);
  return secret.value;
}
