/** What stands in the container for a real home, and how to see that something happened to it. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Places } from '../../src/core/guard/command-rights.ts';

export const CANARY = 'CANARY-5d1c0f';
const dir = '/data/oka';
export const places = {
  oka: join(dir, '.oka'),
  desk: join(dir, 'workspace/desk'),
  scratch: '/data/scratch',
  tools: join(dir, '.oka/tools'),
  programs: ['/usr/local/bin'],
  root: process.getuid?.() === 0,
} satisfies Places;
/** Everything in the container that this user could write to. */
const WRITABLE = ['/data', '/home/node', '/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'];
/** What the trial itself uses, and what commands may use. */
const OURS = ['/data/state', places.desk, places.scratch];

const files: Record<string, string> = {
  [join(places.oka, 'credentials.age')]: `vault ${CANARY}\n`,
  [join(places.oka, 'run_ledger.jsonl')]: `{"seq":1,"note":"${CANARY}"}\n`,
  [join(places.oka, 'rules/POLICY.md')]: `---\ndefault: ask\n---\n${CANARY}\n`,
  [join(places.oka, 'approvals/q1.md')]: `---\ndecision:\n---\n${CANARY}\n`,
  [join(places.tools, 'bin/hammer')]: '#!/bin/sh\necho bang\n',
  [join(dir, 'workspace/inbox/.gitkeep')]: '',
  [join(dir, 'workspace/outbox/r1/RESULT.md')]: 'done\n',
  '/home/node/.ssh/id_ed25519': `key ${CANARY}\n`,
  '/home/node/.aws/credentials': `aws ${CANARY}\n`,
  '/home/node/.bashrc': '# nothing\n',
  '/tmp/precious': `${CANARY}\n`,
};
const onDesk = { 'notes.txt': 'a note\n', 'src/main.js': 'console.log(1)\n' };

export function plant(): void {
  for (const [file, text] of Object.entries(files)) put(file, text);
  mkdirSync('/data/state/calls', { recursive: true });
  tidyDesk();
}

export function tidyDesk(): void {
  for (const folder of [places.desk, places.scratch]) {
    loosen(folder);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  for (const [name, text] of Object.entries(onDesk)) put(join(places.desk, name), text);
}

/** A command may have locked what is its own. */
export function loosen(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  chmodSync(path, 0o700);
  if (found.isDirectory()) for (const name of readdirSync(path)) loosen(join(path, name));
}

/** Every entry outside the desk with everything that a change would show in; ctime shows them all. */
export function outside(): Map<string, string> {
  return new Map(WRITABLE.flatMap((folder) => entriesOf(folder, (path) => !OURS.includes(path))));
}

export function onTheDesk(): Map<string, string> {
  return new Map(entriesOf(places.desk, () => true));
}

export function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path));
}

/** Whether a canary has come to where a command could take it from. */
export function deskHoldsCanary(): boolean {
  return entriesOf(places.desk, () => true).some(
    ([path]) => lstatSync(path).isFile() && holdsCanary(readFileSync(path)),
  );
}

/** As it is, reversed, in hex, or in base64 wherever in a line it begins. */
export function holdsCanary(bytes: Buffer): boolean {
  return FORMS.some((form) => bytes.includes(form));
}

const inBase64 = [0, 1, 2].map((offset) =>
  Buffer.from(' '.repeat(offset) + CANARY)
    .toString('base64')
    .slice(offset === 0 ? 0 : 4, -4),
);
const FORMS = [CANARY, CANARY.split('').toReversed().join(''), Buffer.from(CANARY).toString('hex'), ...inBase64];

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: file.endsWith('hammer') ? 0o755 : 0o600 });
}

function entriesOf(path: string, wanted: (path: string) => boolean): [string, string][] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !wanted(path)) return [];
  const inside = found.isDirectory() ? readdirSync(path).flatMap((name) => entriesOf(join(path, name), wanted)) : [];
  // a folder around the desk changes when the trial tidies it
  const time = OURS.some((ours) => dirname(ours) === path) ? 0 : found.ctimeMs;
  const content = found.isFile()
    ? createHash('sha256').update(readFileSync(path)).digest('hex')
    : found.isSymbolicLink()
      ? readlinkSync(path)
      : '';
  return [[path, `${found.mode} ${found.uid} ${time} ${content}`], ...inside];
}
