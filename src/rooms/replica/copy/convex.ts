/**
 * Owns: requests to a Convex deployment; the only door to the package convex. The functions called there are in convex/.
 *
 * C1 A request ends: with its answer, by the signal, or at its time limit.
 * C2 The size of an answer is limited, and no redirect is followed: the key goes only to the configured server.
 * C3 Errors that may pass with a retry are distinguished from those that will not.
 * C4 An answer has the expected shape, or all of it is refused.
 */
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Replica, ReplicaOf, WireEvent } from '../../../core/schema/replica-port.ts';
import { ReplicaAnswer, ReplicaHead, type TooLarge, WireEventShape } from '../../../core/schema/replica.ts';
import { importFromAddOn } from '../../../kit/add-ons.ts';

type ConvexOptions = {
  url: string;
  /** Null for a deployment that requires none. */
  key: string | null;
  timeoutMs: number;
  /** Defaults to that of Node. */
  fetch?: typeof globalThis.fetch;
};

/** A page contains at most 4 MiB of bodies; as JSON within JSON a byte may take six. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export function convexReplica(options: ConvexOptions): Replica {
  const key = options.key === null ? {} : { key: options.key };
  const call = (kind: 'query' | 'mutation', name: string, args: object, signal: AbortSignal): Promise<unknown> =>
    request(options, kind, `replica:${name}`, { ...key, ...args }, signal);
  return {
    head: async (of, signal) => parseAnswer(ReplicaHead, await call('query', 'head', ledgerArgs(of), signal)),
    page: async (of, from, limit, signal) =>
      parseAnswer(Page, await call('query', 'page', { ...ledgerArgs(of), from, limit }, signal)),
    async append(of, events, signal) {
      let sent = events;
      for (;;) {
        const said = await call('mutation', 'append', { ...ledgerArgs(of), events: sent }, signal);
        const answer = parseAnswer(ReplicaAnswer, said);
        if (answer.kind !== 'too_large') return answer;
        sent = withoutBodyOf(answer, sent);
      }
    },
  };
}

const Page = WireEventShape.array();

/** Refuses an answer of another shape (C4). */
function parseAnswer<T>(shape: { safeParse(value: unknown): { success: boolean; data?: T } }, value: unknown): T {
  const read = shape.safeParse(value);
  if (read.success) return read.data as T;
  throw new OkaError('replica-refused', 'the replica answered in a format that this version of oka does not know', {
    fix: 'Deploy the functions of this version: npx convex deploy   Then: oka replica on',
  });
}

const ledgerArgs = ({ ledger, pen }: ReplicaOf): ReplicaOf => ({ ledger, pen });

function withoutBodyOf({ seq, most }: TooLarge, events: readonly WireEvent[]): WireEvent[] {
  if (!events.some((event) => event.seq === seq && event.body.kind !== 'withheld'))
    throw new OkaError(
      'replica-refused',
      `the replica rejects event ${seq} as too large, although it was sent without content`,
    );
  const why = `it is larger than the ${most} bytes that the replica accepts`;
  return events.map((event) => (event.seq === seq ? { ...event, body: { kind: 'withheld', why } } : event));
}

async function request(
  { url, timeoutMs, fetch = globalThis.fetch }: ConvexOptions,
  kind: 'query' | 'mutation',
  name: string,
  args: object,
  signal: AbortSignal,
): Promise<unknown> {
  const { ConvexHttpClient } = await importFromAddOn('replica', 'convex/browser', () => import('convex/browser'));
  let status = 0;
  const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const bounded: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, { ...init, signal: ends, redirect: 'manual' });
    ({ status } = response);
    return new Response(await readBoundedText(response), { status: response.ok || status === 560 ? status : 400 });
  };
  const client = new ConvexHttpClient(url, { skipConvexDeploymentUrlCheck: true, logger: false, fetch: bounded });
  const ask = client as unknown as Asking;
  try {
    return await (kind === 'query' ? ask.query(name, args) : ask.mutation(name, args, { skipQueue: true }));
  } catch (error) {
    throw describeFailure(error, status, new URL(url).host, ends);
  }
}

/** The client accepts the name of a function as well as a reference to it, but its types do not say so. */
type Asking = {
  query(name: string, args: object): Promise<unknown>;
  mutation(name: string, args: object, options: { skipQueue: boolean }): Promise<unknown>;
};

async function readBoundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function describeFailure(error: unknown, status: number, host: string, ends: AbortSignal): OkaError {
  const said = refusalIn(error);
  if (said !== null)
    return new OkaError('replica-refused', `${host} refuses the key: ${said}`, {
      fix: 'Set the same key on both sides: `npx convex env set OKA_REPLICA_KEY …` there, the variable OKA_REPLICA_KEY or a secret of the vault here; then: oka replica on',
      cause: error,
    });
  const text = messageOf(error).slice(0, 300);
  if (status === 401 || status === 403)
    return new OkaError('replica-refused', `${host} refuses the request (${status}): ${text}`, { cause: error });
  if (/could not find (public )?function/i.test(text))
    return new OkaError('replica-refused', `${host} has no functions of oka`, {
      fix: 'Deploy them from the folder of oka: npx convex deploy   Then: oka replica on',
      cause: error,
    });
  if (/ArgumentValidationError/.test(text))
    return new OkaError('replica-refused', `${host} has functions of another version of oka: ${text}`, {
      fix: 'Deploy those of this version: npx convex deploy   Then: oka replica on',
      cause: error,
    });
  const why = ends.aborted && status === 0 ? 'it did not answer in time' : reasonOf(error, status, text);
  return new OkaError('replica-down', `${host} cannot be reached: ${why}`, { cause: error });
}

function reasonOf(error: unknown, status: number, text: string): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  return status === 0 || (status >= 200 && status < 300) ? `${text}${cause}` : `status ${status}: ${text}`;
}

/** A deliberate refusal is in the data of the error; a deployment hides all other messages. */
function refusalIn(error: unknown): string | null {
  if (!(error instanceof Error) || !('data' in error)) return null;
  const { data } = error;
  if (data === null || typeof data !== 'object' || !('kind' in data) || data.kind !== 'refused') return null;
  return 'text' in data && typeof data.text === 'string' ? data.text.slice(0, 500) : 'no reason was given';
}
