/**
 * Runs inside the throw-away container: every command of stdin (JSON lines) under every class, whatever the classifier
 * would say, and tells as JSON lines what each of them achieved. Besides the commands only this process and an init are there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { rightsOf } from '../../src/core/guard/command-rights.ts';
import { probeKernel } from '../../src/kit/sandbox/probe-kernel.ts';
import { markOf } from '../../src/kit/sandbox/desk-lock.ts';
import { launch, type Launched } from '../../src/kit/sandbox/launch.ts';
import { forgetWitness } from '../../src/kit/sandbox/launch-witness.ts';
import { listen } from './ears.ts';
import {
  deskHoldsCanary,
  differences,
  holdsCanary,
  loosen,
  onTheDesk,
  outside,
  places,
  plant,
  tidyDesk,
} from './planted.ts';

export type Kind = 'read' | 'write_local' | 'control';
/** Everything in the lists is something that must not be. */
export type Told = {
  kind: Kind;
  cmd: string;
  ended: string;
  outside: string[];
  desk: string[];
  heard: string[];
  leaked: boolean;
  alive: string[];
};

const launcher = '/oka/native/oka-launch';
const offer = await probeKernel(launcher);
const commands = readFileSync(0, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { kind: Kind; cmd: string });
plant();
const mark = markOf(places.desk);
const heard = await listen();
await run('control', 'true', 'first');
/** The process that starts launchers for this one: it stays, and no command has started it. */
const ours = await leftAfterASecond([]);
process.stdout.write(`${JSON.stringify({ landlock: offer.landlock, uid: process.getuid?.() })}\n`);
for (const [index, { kind, cmd }] of commands.entries())
  process.stdout.write(`${JSON.stringify(await trial(kind, cmd, `c${index}`))}\n`);
process.exit(0);

async function trial(kind: Kind, cmd: string, call: string): Promise<Told> {
  tidyDesk();
  const before = { outside: outside(), desk: onTheDesk() };
  const done = await run(kind, cmd, call);
  const alive = await leftAfterASecond(ours);
  if (kind === 'write_local') loosen(places.desk);
  await forgetWitness('/data/state/calls', call);
  const leaked = [done.stdout, done.stderr].some(({ head, tail }) => holdsCanary(Buffer.concat([head, tail])));
  return {
    kind,
    cmd,
    ended: `${done.ended.how} ${done.exit ?? done.signal}`,
    outside: differences(before.outside, outside()),
    desk: kind === 'read' ? differences(before.desk, onTheDesk()) : [],
    heard: heard(),
    leaked: leaked || deskHoldsCanary(),
    alive,
  };
}

async function run(kind: Kind, cmd: string, call: string): Promise<Launched> {
  const step = {
    class: kind === 'control' ? ('read' as const) : kind,
    author: 'model' as const,
    net: null,
    installer: false,
  };
  const rights = kind === 'control' ? null : rightsOf(step, places, offer);
  return launch(
    { line: cmd },
    {
      cwd: places.desk,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: places.desk, OKA: places.oka },
      signal: new AbortController().signal,
      timeoutMs: 2000,
      outputLimitBytes: 4_000_000,
      ...(kind === 'control' ? {} : { scratch: places.scratch }),
      sandbox: { launcher, rights, state: { folder: '/data/state/calls', call }, desk: { file: null, mark } },
    },
  );
}

/** Processes that are still there a second later, except this one and `known`; the launcher itself needs a moment to end. */
async function leftAfterASecond(known: readonly string[]): Promise<string[]> {
  for (const end = performance.now() + 1000; ; await sleep(20)) {
    const left = processes().filter((pid) => !known.includes(pid));
    if (left.length === 0 || performance.now() >= end) return left;
  }
}

/** What has ended and was not reaped yet is not alive. */
function processes(): string[] {
  const known = ['1', String(process.pid)];
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !known.includes(name) && isAlive(name));
}

function isAlive(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
