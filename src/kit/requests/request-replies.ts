/**
 * Owns: what becomes of a request, for the process that made it and still waits. A reply is a courtesy: the ledger has
 * everything that counts, and a reply that is lost changes nothing.
 *
 * A request is either taken by the process with the pen, or withdrawn by whoever made it, never both: that is one rename or
 * one removal of the same file, of which only one can succeed.
 *
 * Whoever wants one leaves an empty file under the id of the request before it is submitted; the process with the pen
 * replaces it by the reply, and the requester removes it.
 */
import { readFileSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder, lstatIfPresent, makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError, type OkaErrorCode } from '../../core/schema/errors.ts';
import type { Json } from '../../core/schema/json.ts';
import { pause } from '../pause.ts';

export type Reply = { done: Json } | { refused: { code: OkaErrorCode; message: string; fix?: string } };

export type Replies = {
  /** Sends a reply, if somebody wants one. */
  send: (id: string, reply: Reply) => void;
  /** Removes what nobody has read for an hour. */
  sweep: (now: number) => void;
};

const POLL_MS = 50;
const OLD_MS = 3_600_000;

export const repliesFolder = (oka: string): string => join(oka, 'state', 'replies');
/** Where the dashboard wants its replies: in a container it cannot write anywhere else. */
export const webRepliesFolder = (oka: string): string => join(oka, 'web', 'replies');

export function openReplies(...folders: string[]): Replies {
  return {
    send: (id, reply) => {
      for (const file of folders.map((folder) => fileOf(folder, id)))
        try {
          if (lstatIfPresent(file)?.isFile() === true) replaceFile(file, JSON.stringify(reply), { mode: 0o600 });
        } catch {
          // the disk is full, or the folder is gone: the requester stops waiting by itself
        }
    },
    sweep: (now) => {
      for (const folder of folders)
        for (const name of listFolder(folder))
          if (now - (lstatIfPresent(join(folder, name))?.mtimeMs ?? now) > OLD_MS)
            rmSync(join(folder, name), { force: true });
    },
  };
}

/** Says that a reply to this request is wanted; call it before the request is submitted. */
export function wantReply(folder: string, id: string): void {
  makeFolder(folder, 0o700);
  replaceFile(fileOf(folder, id), '', { mode: 0o600 });
}

/** Null when none has come in time; then none is wanted any more. */
export async function awaitReply(folder: string, id: string, ms: number, signal: AbortSignal): Promise<Reply | null> {
  const file = fileOf(folder, id);
  const end = performance.now() + ms;
  try {
    while (performance.now() < end && !signal.aborted) {
      if (hasReply(folder, id)) return JSON.parse(readFileSync(file, 'utf8')) as Reply;
      await pause(POLL_MS, signal);
    }
    return null;
  } finally {
    rmSync(file, { force: true });
  }
}

/** An error as a reply; one that is no refusal of ours is reported as such. */
export function refusal(error: unknown): Reply {
  if (!(error instanceof OkaError)) return { refused: { code: 'refused', message: messageOf(error) } };
  const { code, message, fix } = error;
  return { refused: { code, message, ...(fix === undefined ? {} : { fix }) } };
}

const fileOf = (folder: string, id: string): string => join(folder, `${id}.json`);
export const hasReply = (folder: string, id: string): boolean =>
  (statSync(fileOf(folder, id), { throwIfNoEntry: false })?.size ?? 0) > 0;

const TAKEN = '.taken';
export const takenFile = (folder: string, id: string): string => join(folder, `${id}${TAKEN}`);

/** False when it was taken before. */
export const withdrawRequest = (folder: string, id: string): boolean =>
  hasMoved(() => unlinkSync(join(folder, `${id}.json`)));

/** False when it was withdrawn before. */
export const takeRequest = (folder: string, { id, name }: { id: string; name: string }): boolean =>
  name.endsWith(TAKEN) || hasMoved(() => renameSync(join(folder, name), takenFile(folder, id)));

function hasMoved(move: () => void): boolean {
  try {
    move();
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
