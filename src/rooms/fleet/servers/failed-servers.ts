/**
 * Owns: which servers have stopped storing because they could not write to their disk, and saying so.
 *
 * Such a server answers nothing that it would have to store: a single one for the stream in question, one of a cluster for
 * everything. It does so until it is restarted, also when there is space again. Only its page of health tells why.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import { explainNoSpace } from './no-space.ts';

export const RESTART =
  'Free space there, and restart that server: it stores nothing before. Everything continues automatically then.';

/** One sentence for each. A server that does not tell is not named. */
export async function failedServers(monitors: readonly string[]): Promise<string[]> {
  const told = await Promise.all(
    monitors.map(async (monitor) => failureIn(URL.parse(monitor)?.host ?? monitor, await readHealth(monitor))),
  );
  return told.flatMap((each) => each ?? []);
}

/** From what a server says at /healthz; null when it is not about its disk. */
function failureIn(server: string, health: string): string | null {
  const [, stream, why] = /stream '[^']*> ([^']*)' write error: (.*)/.exec(health) ?? [];
  if (why !== undefined)
    return `the message server at ${server} could not write the stream ${stream} to its disk (${why})`;
  if (isSwitchedOff(health))
    return `the message server at ${server} has switched its JetStream off, as it does when it cannot write to its disk`;
  return null;
}

/** A server that was configured without JetStream says that it is well. */
const isSwitchedOff = (health: string): boolean => health.startsWith('JetStream not enabled');

export const hasSwitchedOff = async (monitor: string): Promise<boolean> => isSwitchedOff(await readHealth(monitor));

/** The same error, but for one that a person can do something about. */
export async function explainUnstored(error: unknown, monitors: readonly string[]): Promise<unknown> {
  const explained = explainNoSpace(error);
  if (explained instanceof OkaError) return explained;
  const failed = await failedServers(monitors);
  if (failed.length === 0) return error;
  return new OkaError('fleet-refused', failed.join('; '), { fix: RESTART, cause: error });
}

/** Empty when it is well, or does not answer. */
async function readHealth(monitor: string): Promise<string> {
  try {
    const answer = await fetch(`${monitor}/healthz`, { signal: AbortSignal.timeout(2000) });
    const { error } = (await answer.json()) as { error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return ''; // nobody learns anything from it
  }
}
