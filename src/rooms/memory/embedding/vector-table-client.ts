/**
 * Owns: the process that has the table of vectors, as the one that asks it sees it.
 *
 * 1. It starts with the first request, and ends when nobody has asked for a while: its memory goes with it.
 * 2. One that died is started again by the next request; pending requests are rejected.
 * 3. It keeps its parent alive only while it is asked something, and ends with it.
 * 4. It ends within seconds when it is closed: one that is stuck or frozen is killed, which the table survives.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { OkaError } from '../../../core/schema/errors.ts';
import type { TableReply, TableRequest } from './vector-table-child.ts';
import type { TableSettings, VectorRows } from './vector-table.ts';

type Asked = TableRequest extends infer R ? (R extends TableRequest ? Omit<R, 'number'> : never) : never;
type Pending = PromiseWithResolvers<boolean> & { take: ((rows: VectorRows) => void) | undefined };
type Running = { child: ChildProcess; waiting: Map<number, Pending>; over: Promise<void> };

export type VectorTableClient = {
  /** Resolves with whether there is a table, when the request was done. `take` gets what is read. */
  ask(asked: Asked, take?: (rows: VectorRows) => void): Promise<boolean>;
  close(): Promise<void>;
};

/** To start it again takes a third of a second of a core. */
const QUIET_MS = 20_000;
const LONGEST_END_MS = 4000;

/** `ends`: it is about to be closed, so requests that are still open have only as long as its end may take (4). */
export function vectorTableClient(settings: TableSettings, quietMs = QUIET_MS, ends?: AbortSignal): VectorTableClient {
  let running: Running | null = null;
  let quiet: NodeJS.Timeout | undefined;
  let number = 0;

  function end(): Promise<void> | undefined {
    clearTimeout(quiet);
    const last = running;
    running = null;
    if (last?.child.connected === true) last.child.disconnect();
    if (last !== null) killLater(last);
    return last?.over;
  }

  return {
    ask: (asked, take) => {
      clearTimeout(quiet);
      running ??= startChild(settings, ends, (over) => {
        if (running === over) running = null;
      });
      const { child, waiting } = running;
      const pending = { ...Promise.withResolvers<boolean>(), take };
      number += 1;
      waiting.set(number, pending);
      child.channel?.ref();
      child.ref(); // it may end before it answers
      child.send({ number, ...asked } satisfies TableRequest, (error) => error !== null && pending.reject(error));
      return pending.promise.finally(() => {
        clearTimeout(quiet);
        quiet = setTimeout(() => void end(), quietMs).unref();
      });
    },
    close: async () => {
      running?.child.ref(); // its end is waited for
      await end();
    },
  };
}

function killLater({ child, over }: Running): void {
  const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_END_MS).unref();
  void over.then(() => clearTimeout(late));
}

function startChild(
  settings: TableSettings,
  ends: AbortSignal | undefined,
  ended: (running: Running) => void,
): Running {
  const child = fork(new URL('./vector-table-child.ts', import.meta.url), [JSON.stringify(settings)], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  const over = Promise.withResolvers<void>();
  const running: Running = { child, waiting: new Map(), over: over.promise };
  const onEnds = (): void => killLater(running);
  ends?.addEventListener('abort', onEnds, { once: true });
  if (ends?.aborted === true) onEnds();
  const end = (reason: string): void => {
    ends?.removeEventListener('abort', onEnds);
    ended(running);
    for (const { reject } of running.waiting.values()) reject(new OkaError('refused', reason));
    running.waiting.clear();
    over.resolve();
  };
  child.on('message', (reply: TableReply) => settleRequest(running, reply));
  child.on('error', (error) => end(`the process of the vectors failed: ${error.message}`));
  child.on('exit', (code, signal) => end(`the process of the vectors ended (${signal ?? code})`));
  child.unref();
  child.channel?.unref();
  return running;
}

function settleRequest({ child, waiting }: Running, reply: TableReply): void {
  const pending = waiting.get(reply.number);
  if ('rows' in reply) return pending?.take?.(reply.rows);
  waiting.delete(reply.number);
  if (waiting.size === 0) {
    child.channel?.unref();
    child.unref();
  }
  if ('error' in reply) pending?.reject(new OkaError('refused', reply.error));
  else pending?.resolve(reply.isThere);
}
