/**
 * A person at a page, quick and careless: `FILE COUNT SEED` writes that many lines in the ways editors have, and says each
 * line once it is saved.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';

const [file = '', count = '100', seed = '1'] = process.argv.slice(2);
const HEADING = '## Yours';
let random = Number(seed);
let text = '';
const open: { fd: number; line: string }[] = [];

const chance = (below: number): number => {
  random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((random / 2_147_483_648) * below);
};
const rest = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** What the editor shows: the file, or what it last was when it is just not there. */
function load(): void {
  try {
    text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
  } catch {
    rest(0); // it goes on with what it has
  }
}
while (text === '') load(); // it may be just being replaced when it is opened, too

const withLine = (line: string): string => {
  const rows = text.split('\n');
  const below = rows.indexOf(HEADING) + 1;
  rows.splice(chance(4) === 0 ? chance(rows.length) : below + chance(rows.length - below), 0, line);
  return rows.join('\n');
};

/** Who replaces a file under their own hands has lost what they had open. */
function finishLate(): void {
  while (open.length > 0) writeLate();
}

const WAYS: readonly ((line: string) => boolean)[] = [
  (line) => {
    appendFileSync(file, `${line}\n`);
    return true;
  },
  (line) => {
    load();
    rest(chance(3));
    writeFileSync(file, withLine(line));
    return true;
  },
  (line) => {
    finishLate();
    load();
    rest(chance(3));
    writeFileSync(`${file}~`, withLine(line));
    renameSync(`${file}~`, file);
    return true;
  },
  (line) => {
    load();
    rest(chance(3));
    writeFileSync(file, withLine(line).replaceAll('\n', '\r\n'));
    return true;
  },
  (line) => {
    if (chance(8) > 0) return false;
    finishLate();
    return spawnSync('sed', ['-i', `$a ${line}`, file]).status === 0;
  },
  (line) => {
    open.push({ fd: openSync(file, 'a'), line });
    return false;
  },
];

for (let number = 0; number < Number(count); ) {
  const line = `${['- ', '', '- [ ] '][chance(3)]}line ${seed}.${number}`;
  const isSaved = WAYS[chance(WAYS.length)]?.(line) ?? false;
  if (isSaved) process.stdout.write(`${line}\n`);
  if (isSaved || open.at(-1)?.line === line) number += 1;
  if (open.length > chance(6)) writeLate();
  rest(chance(3));
}
finishLate();

/** Into the file that was opened, wherever that is by now. */
function writeLate(): void {
  const late = open.shift();
  if (late === undefined) return;
  writeSync(late.fd, `${late.line}\n`);
  closeSync(late.fd);
  process.stdout.write(`${late.line}\n`);
}
