/** Owns: workspace/inbox/.rejected. What is not a task is moved there, untouched, with a file beside it that says why. */
import { dirname, join, parse } from 'node:path';
import { lookAt, replaceFile } from '../ledger/disk.ts';
import { move, ownFolder, type Rename, rejectedFolder, removeIfEmpty } from './places.ts';
import { shownName } from './sift.ts';

export type Rejected = {
  name: string;
  /** Its name below .rejected. */
  kept: string;
  reason: string;
};
export type Rejecting = {
  inbox: string;
  rename: Rename;
  /** How many of a name were moved there, so that a flood of them is not counted anew each time. */
  names: Map<string, number>;
};

export function reject(rejecting: Rejecting, from: Buffer | string, name: string, reason: string): Rejected {
  const folder = ownFolder(rejectedFolder(rejecting.inbox));
  const kept = freeName(rejecting, folder, shownName(Buffer.from(name)));
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
    const taken = [candidate, `${candidate}.reason.md`].some((each) => lookAt(join(folder, each)) !== undefined);
    if (taken) continue;
    names.set(name, number);
    return candidate;
  }
}

function reasonFile(name: string, kept: string, reason: string): string {
  return `# ${name} was not taken as a task

${reason}

It lies beside this file as \`${kept}\`, as it was. Mend it and move it back into the inbox to try again.
`;
}
