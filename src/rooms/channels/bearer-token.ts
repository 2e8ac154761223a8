/** The Authorization header of a channel. A token must not travel in the clear: it goes over https, or stays on this machine. */
import type { ChannelTools } from '../../core/schema/channel-port.ts';
import { OkaError } from '../../core/schema/errors.ts';

const HERE = new Set(['127.0.0.1', '[::1]', 'localhost']);

export async function bearerHeader(
  token: string | undefined,
  { protocol, host, hostname }: URL,
  tools: Pick<ChannelTools, 'reveal'>,
): Promise<Record<string, string>> {
  if (token === undefined) return {};
  if (protocol !== 'https:' && !HERE.has(hostname))
    throw new OkaError('not-permitted', `${host} is not addressed by https, so it gets no token`);
  return { authorization: `Bearer ${await tools.reveal(token, host)}` };
}
