/** Starting such a process (ledger-child.ts), hearing what it says, and holding the ledger against it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Line } from '../../src/core/schema/event.ts';
import type { ChildTask } from './ledger-child.ts';

export type Ack = { seq: number; name: string };
export type Child = {
  process: ChildProcess;
  said: string[];
  errors(): string;
  /** Resolves with the first line that begins like this, or with null when the process ends without saying it. */
  says(beginning: string): Promise<string | null>;
  ended: Promise<void>;
};

export type Launch = {
  /** A command in front of node, such as strace with its options. */
  prefix?: readonly string[];
  uid?: number;
  gid?: number;
  env?: Record<string, string>;
};

const program = fileURLToPath(new URL('ledger-child.ts', import.meta.url));

export function startChild(task: ChildTask, { prefix = [], uid, gid, env }: Launch = {}): Child {
  const [command, ...rest] = [...prefix, process.execPath, program, JSON.stringify(task)];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: cacheOf(uid), ...env },
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  const said: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = createInterface(child.stdout);
  lines.on('line', (line) => said.push(line));
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]).then(() => undefined);
  const says = async (beginning: string): Promise<string | null> => {
    const heard = (): string | undefined => said.find((line) => line.startsWith(beginning));
    const waiting = new Promise<void>((resolve) => {
      lines.on('line', () => heard() !== undefined && resolve());
    });
    if (heard() === undefined) await Promise.race([waiting, ended]);
    return heard() ?? null;
  };
  return { process: child, said, errors: () => errors, says, ended };
}

/** Children start faster when they need not compile everything again. */
function cacheOf(uid = process.getuid?.() ?? 0): string {
  const folder = join(tmpdir(), `oka-test-compiled-${uid}`);
  mkdirSync(folder, { recursive: true });
  if (uid !== process.getuid?.()) chownSync(folder, uid, uid);
  return folder;
}

/** Runs one to its end. */
export async function finishedChild(task: ChildTask, launch: Launch = {}): Promise<Child> {
  const child = startChild(task, launch);
  await child.ended;
  return child;
}

export function acksOf(said: readonly string[]): Ack[] {
  return said
    .map((line) => /^ack (\d+) (\S+);$/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ seq: Number(match[1]), name: match[2] ?? '' }]));
}

/** The codes with which appends were rejected, in order. */
export function rejectionsOf(said: readonly string[]): string[] {
  return said.flatMap((line) => /^rejected (\S+)/.exec(line)?.[1] ?? []);
}

/** What is wrong with a ledger file after these acknowledgements; empty when all is well. A torn end is left out. */
export function faultsOf(file: string, acks: readonly Ack[]): string[] {
  return auditOf(file)(acks);
}

/** Like faultsOf, for a ledger that goes on: each check reads what came since the last and expects what was acknowledged since. */
export function auditOf(file: string): (acks: readonly Ack[]) => string[] {
  const names = new Map<string, number>();
  let seen = { bytes: 0, seq: 0 };
  return (acks) => {
    const faults: string[] = [];
    const { lines, bytes } = wholeLinesBehind(file, seen.bytes);
    for (const [index, line] of lines.entries()) {
      if (line.seq !== seen.seq + index + 1) faults.push(`line ${seen.seq + index + 1} says seq ${line.seq}`);
      const name = nameIn(line);
      if (name === null) continue;
      if (names.has(name)) faults.push(`${name} stands at seq ${names.get(name)} and at ${line.seq}`);
      names.set(name, line.seq);
    }
    seen = { bytes: seen.bytes + bytes, seq: seen.seq + lines.length };
    for (const { seq, name } of acks)
      if (names.get(name) !== seq) faults.push(`${name} was acknowledged as ${seq} and stands at ${names.get(name)}`);
    return faults;
  };
}

export function wholeLinesOf(file: string): Line[] {
  return wholeLinesBehind(file, 0).lines;
}

function wholeLinesBehind(file: string, offset: number): { lines: Line[]; bytes: number } {
  const text = readFileSync(file).subarray(offset).toString('latin1');
  const bytes = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, bytes).split('\n').slice(0, -1);
  return { lines: lines.map((line) => JSON.parse(line) as Line), bytes };
}

function nameIn(line: Line): string | null {
  return line.type === 'run.paused' ? (line.data.reason.split(' ')[0] ?? null) : null;
}
