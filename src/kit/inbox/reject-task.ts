/** Owns: workspace/inbox/rejected, where entries that are not tasks are moved unchanged, each with a file that says why. */
import { dirname, join, parse } from 'node:path';
import { lstatIfPresent, replaceFile } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { move, ownFolder, type Rename, rejectedFolder, removeIfEmpty } from './inbox-folders.ts';
import { printableName } from './entry-name.ts';
import { Vanished } from './plain-file.ts';

export type Rejected = {
  name: string;
  /** Its name below rejected. */
  kept: string;
  reason: string;
};
export type Rejecting = {
  inbox: string;
  rename: Rename;
  on: { rejected(rejected: Rejected): Promise<void> };
  /** How many entries of each name were moved there, so that many of them need not be counted again each time. */
  names: Map<string, number>;
};

/** Moves an entry aside and reports it; returns the problem if that fails. */
export async function rejectEntry(
  rejecting: Rejecting,
  path: Buffer | string,
  name: string,
  reason: string,
): Promise<string | null> {
  let rejected: Rejected;
  try {
    rejected = moveAside(rejecting, path, name, reason);
  } catch (error) {
    return error instanceof Vanished ? null : `${name} is not a task and cannot be moved aside: ${messageOf(error)}`;
  }
  try {
    await rejecting.on.rejected(rejected);
    return null;
  } catch (error) {
    return `${name} was moved aside, but that could not be recorded: ${messageOf(error)}`;
  }
}

function moveAside(rejecting: Rejecting, from: Buffer | string, name: string, reason: string): Rejected {
  const folder = ownFolder(rejectedFolder(rejecting.inbox));
  const kept = freeName(rejecting, folder, printableName(Buffer.from(name)));
  move(from, join(folder, kept), rejecting.rename);
  replaceFile(join(folder, `${kept}.reason.md`), reasonFile(name, kept, reason));
  const left = dirname(from.toString());
  if (left !== rejecting.inbox) removeIfEmpty(left);
  return { name, kept, reason };
}

function freeName({ names }: Rejecting, folder: string, name: string): string {
  const { name: stem, ext } = parse(name);
  for (let number = (names.get(name) ?? 0) + 1; ; number++) {
    const candidate = number === 1 ? name : `${stem}-${number}${ext}`;
    const taken = [candidate, `${candidate}.reason.md`].some(
      (each) => lstatIfPresent(join(folder, each)) !== undefined,
    );
    if (taken) continue;
    names.set(name, number);
    return candidate;
  }
}

function reasonFile(name: string, stored: string, reason: string): string {
  return `# ${name} was not accepted as a task

${reason}

The original is next to this file as \`${stored}\`, unchanged. Correct it and move it back into the inbox to try again.
`;
}
