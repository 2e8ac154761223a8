/**
 * Owns: what the proxy refused with one ticket. A program may take the proxy's own answer for that of the server and end
 * well, so a step gets the reason for the refusal.
 */
import { request } from 'node:http';

export type Refusals = {
  add(refusal: string): void;
  list(): readonly string[];
};

/** The path that a worker asks a proxy in another process for, with the ticket of its step. */
export const REFUSALS_PATH = '/refusals';

/** Marks an answer of the proxy itself, which a client must not take for that of the server. */
export const OWN_ANSWER = { 'proxy-status': 'oka-egress' } as const;

/** The status of its own answer to a request that it has passed on, and of which it does not know what became of it. */
export const NO_ANSWER = 504;

const MOST = 20;
const LONGEST = 300;
const PATIENCE_MS = 3000;
const MOST_BYTES = 100_000;

/** Each refusal is listed once, and a bounded number of them. */
export function openRefusals(): Refusals {
  const all = new Set<string>();
  return {
    add: (refusal) => void (all.size < MOST && all.add(refusal.slice(0, LONGEST))),
    list: () => [...all],
  };
}

/** Asks a proxy in another process; empty if it does not answer, which its log explains. */
export async function askForRefusals(
  proxy: { host: string; port: number },
  { user, password }: { user: string; password: string },
): Promise<readonly string[]> {
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  const { promise, resolve } = Promise.withResolvers<string>();
  const asked = request({
    ...proxy,
    path: REFUSALS_PATH,
    agent: false,
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { 'proxy-authorization': `Basic ${basic}` },
  });
  asked.on('error', () => resolve('[]'));
  asked.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('error', () => resolve('[]'));
    response.on('data', (chunk: string) => (text.length > MOST_BYTES ? response.destroy() : (text += chunk)));
    response.on('close', () => resolve(response.statusCode === 200 ? text : '[]'));
  });
  asked.end();
  return parseRefusals(await promise);
}

function parseRefusals(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    return []; // a proxy of an earlier version does not know the question
  }
}
