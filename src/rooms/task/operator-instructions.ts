/**
 * Owns: the instructions of the operator for a task, from files called AGENTS.md; the nearest to the task comes last.
 *
 * 1. Outside the desk nobody but a person writes: .oka/rules/AGENTS.md and workspace/AGENTS.md always count.
 * 2. On the desk, those from its top down to the folder of the task count, unless a call has written that content.
 * 3. Links are not followed, neither as the file nor as a folder on the path to it.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstructionFile } from '../../kit/task/offers.ts';
import type { Home } from '../../core/schema/home.ts';
import { escapeInvisible } from '../../core/schema/one-line.ts';
import { contentName } from '../../kit/runs/written-instructions.ts';

const NAME = 'AGENTS.md';
const MOST_BYTES = 64 * 1024;

/** `dir` is the folder of the task below the desk; `isWritten` says whether a call has written this content. */
export function readInstructions(
  home: Home,
  dir: string | null,
  isWritten: (oid: string) => boolean,
): InstructionFile[] {
  const rules = readPlain(join(home.oka, 'rules', NAME));
  const workspace = readPlain(join(home.workspace, NAME));
  return [
    ...asInstructions('.oka/rules/AGENTS.md', rules),
    ...asInstructions('workspace/AGENTS.md', workspace),
    ...deskFolders(dir).flatMap((folder) => {
      const content = readBelowDesk(home, folder);
      const name = folder === '' ? 'workspace/desk/AGENTS.md' : `workspace/desk/${folder}/AGENTS.md`;
      return content === null || isWritten(contentName(content)) ? [] : asInstructions(name, content);
    }),
  ];
}

function asInstructions(file: string, content: Buffer | null): InstructionFile[] {
  const text = content === null ? '' : escapeInvisible(content.toString('utf8')).trim();
  return text === '' ? [] : [{ file, text }];
}

/** The desk, and each folder on the path to that of the task. */
function deskFolders(dir: string | null): string[] {
  const parts = (dir ?? '.').split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? [''] : ['', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))];
}

function readBelowDesk(home: Home, folder: string): Buffer | null {
  const desk = join(home.workspace, 'desk');
  const parts = folder === '' ? [] : folder.split('/');
  const isPlain = parts.every((_, at) =>
    lstatSync(join(desk, ...parts.slice(0, at + 1)), { throwIfNoEntry: false })?.isDirectory(),
  );
  return isPlain ? readPlain(join(desk, folder, NAME)) : null;
}

/** Null when it is not there, no plain file, or too large to be instructions. */
function readPlain(file: string): Buffer | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null; // usually there is none
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(fd) : null;
  } finally {
    closeSync(fd);
  }
}
