/** What the sandbox costs: a command through the launcher against the same command started plainly, in turns. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rightsOf } from '../src/core/guard/command-rights.ts';
import { probeKernel } from '../src/kit/sandbox/probe-kernel.ts';
import { resolvePlaces } from '../src/kit/sandbox/sandbox-places.ts';
import { launch } from '../src/kit/sandbox/launch.ts';
import { forgetWitness } from '../src/kit/sandbox/launch-witness.ts';
import { type Figure, median } from './figure.ts';

const ROUNDS = 100;
const launcher = join(import.meta.dirname, '../native/oka-launch');
const env = { PATH: '/usr/bin:/bin' };

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  if (spawnSync(process.execPath, [join(import.meta.dirname, '../native/build.js')]).status !== 0) {
    note('skipped: there is no C compiler to build the launcher with');
    return [];
  }
  note(`${ROUNDS} commands with and without the launcher`);
  const dir = mkdtempSync(join(tmpdir(), 'oka-bench-'));
  try {
    return await figuresIn(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function figuresIn(dir: string): Promise<Figure[]> {
  const jailed = await jailIn(dir);
  const times = { plain: [] as number[], read: [] as number[], write: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.plain.push(await timeCall(plainly));
    times.read.push(await timeCall(() => jailed('read', round)));
    times.write.push(await timeCall(() => jailed('write_local', round)));
  }
  const more = (kind: 'read' | 'write'): number => median(times[kind]) - median(times.plain);
  const about = 'more than starting it plainly, with rules, capture and a durable result';
  return [
    { name: 'launch_plain_ms', value: median(times.plain), unit: 'ms', about: 'a command started plainly' },
    { name: 'launch_read_ms', value: more('read'), unit: 'ms', bar: { most: 15 }, about: `a read, ${about}` },
    { name: 'launch_write_ms', value: more('write'), unit: 'ms', bar: { most: 15 }, about: `a local write, ${about}` },
  ];
}

async function jailIn(dir: string): Promise<(kind: 'read' | 'write_local', round: number) => Promise<void>> {
  const [oka, desk] = [join(dir, '.oka'), join(dir, 'desk')];
  const places = resolvePlaces({ oka, desk, scratch: join(dir, 'scratch'), tools: join(oka, 'tools') });
  const offer = await probeKernel(launcher);
  return async (kind, round) => {
    const state = { folder: join(oka, 'state'), call: `${kind}-${round}` };
    const step = { class: kind, author: 'model', net: null, installer: false } as const;
    const sandbox = { launcher, rights: offer.landlock > 0 ? rightsOf(step, places, offer) : null, state };
    const { signal } = new AbortController();
    const done = await launch({ argv: ['true'] }, { cwd: desk, env, signal, outputLimitBytes: 4_194_304, sandbox });
    if (done.exit !== 0) throw new Error(`true failed: ${JSON.stringify(done.ended)} ${done.stderr.head.toString()}`);
    await forgetWitness(state.folder, state.call);
  };
}

/** The least that starting a command can do: two pipes, and waiting for its end. */
async function plainly(): Promise<void> {
  const child = spawn('true', [], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await new Promise((resolve) => child.once('close', resolve));
}

async function timeCall(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
