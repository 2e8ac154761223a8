/**
 * Owns: .oka/web/hooks: calls of hooks between the web server, which stores them and knows no key, and the worker, which
 * checks them (inbound-hooks.ts).
 *
 * W1 Nobody has proved anything about a call that is stored here. It is bounded: in size, in how many wait, and in how many
 *    of one machine wait, so that strangers do not keep out whoever has the key while no worker runs.
 * W2 The worker reads what another process has written: plain files of a known form, everything else is removed.
 */
import { hash, randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPlain } from '../../kit/inbox/plain-file.ts';
import { awaitReply, wantReply, webRepliesFolder } from '../../kit/requests/request-replies.ts';
import { listFolder, makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { HookCall, type HookOutcome, MOST_CALL_BYTES } from '../../core/schema/hook-call.ts';

/** A character may take six in JSON. */
const MOST_FILE_BYTES = 7 * MOST_CALL_BYTES;
const MOST_WAITING = 400;
const MOST_OF_ONE = 100;
/** Callers give up after some 15 seconds, and call again. */
const PATIENCE_MS = 10_000;
/** When it came, from which machine, and which one it is. */
const NAME = /^\d{13}-(?:[0-9a-f]{12}-)?[0-9a-f-]{36}\.json$/;

const hookCallsFolder = (home: Home): string => join(home.oka, 'web', 'hooks');
export const hookTemplate = (home: Home, hook: string): string => join(home.oka, 'rules', 'hooks', `${hook}.md`);

/** Stores a call, and waits a moment for what a worker says about it: null when there is none, or it is busy. */
export async function submitCall(
  home: Home,
  given: HookCall,
  { source, signal }: { source: string; signal: AbortSignal },
): Promise<HookOutcome | null> {
  const { success, data: call } = HookCall.safeParse(given);
  if (!success) return { status: 'refused', reason: 'it is not a signed call' };
  if (!existsSync(hookTemplate(home, call.hook))) return { status: 'refused', reason: 'there is no such hook' };
  const [folder, replies] = [hookCallsFolder(home), webRepliesFolder(home.oka)];
  const machine = hash('sha256', source).slice(0, 12);
  const waiting = listFolder(folder);
  const ofOne = waiting.filter((name) => name.split('-')[1] === machine);
  if (waiting.length >= MOST_WAITING || ofOne.length >= MOST_OF_ONE)
    throw new OkaError('not-set-up', 'too many calls wait for the worker; call again later');
  makeFolder(folder, 0o700);
  const name = `${Math.floor(call.received)}-${machine}-${randomUUID()}`;
  const hasWorker = penHolder(home.ledgers.run) !== null;
  if (hasWorker) wantReply(replies, name);
  replaceFile(join(folder, `${name}.json`), JSON.stringify(call), { durable: true, mode: 0o600 });
  const reply = hasWorker ? await awaitReply(replies, name, PATIENCE_MS, signal) : null;
  return reply !== null && 'done' in reply ? (reply.done as HookOutcome) : null;
}

export type StoredCall = { name: string; call: HookCall | null; remove: () => void };

/** Calls that wait, the first one first; null in place of what is none. */
export function storedCalls(home: Home): StoredCall[] {
  const folder = hookCallsFolder(home);
  return listFolder(folder)
    .filter((file) => NAME.test(file))
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.json$/, ''),
      call: readCall(join(folder, file)),
      remove: () => rmSync(join(folder, file), { force: true, recursive: true }),
    }));
}

function readCall(file: string): HookCall | null {
  try {
    return HookCall.parse(JSON.parse(readPlain(file, MOST_FILE_BYTES).bytes.toString('utf8')));
  } catch {
    return null;
  }
}
