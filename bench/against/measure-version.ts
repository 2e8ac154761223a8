/** One round of one version: start-up and the engine, measured from outside, and whole suites of its own bench. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../figure.ts';
import { memoryFolder } from '../support/home.ts';
import { runQuietly } from './run-program.ts';
import type { Version } from './versions.ts';

export type Measured = Record<string, number>;

const STARTS = 5;
const reporter = join(import.meta.dirname, 'report-cpu.cjs');
const probe = join(import.meta.dirname, 'probe.ts');
/** What is measured unless suites are named: by the same code for every version, in CPU time. */
const QUICK = 'quick';

export async function measureVersion(
  { top }: Version,
  suites: readonly string[],
  signal: AbortSignal,
): Promise<Measured> {
  const measured: Measured = {};
  for (const suite of suites) {
    if (suite === QUICK) Object.assign(measured, await quickFigures(top, signal));
    else Object.assign(measured, await suiteFigures(top, suite, signal));
  }
  return measured;
}

/** The version's own measuring code. A suite that it does not have gives nothing. */
async function suiteFigures(top: string, suite: string, signal: AbortSignal): Promise<Measured> {
  const words = ['run', '-s', 'bench', '--', suite, '--json'];
  try {
    return JSON.parse(await runQuietly('npm', words, { cwd: top, signal })) as Measured;
  } catch (error) {
    if (!signal.aborted && /there is no suite/.test(String(error))) return {};
    throw error;
  }
}

async function quickFigures(top: string, signal: AbortSignal): Promise<Measured> {
  const folder = mkdtempSync(join(memoryFolder, 'oka-against-'));
  try {
    const starts = await startFigures(top, folder, signal);
    const args = ['--disable-warning=ExperimentalWarning', probe, top, folder];
    const engine = JSON.parse(await runQuietly(process.execPath, args, { cwd: top, signal })) as Measured;
    return { ...starts, ...engine };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startFigures(top: string, folder: string, signal: AbortSignal): Promise<Measured> {
  const home = join(folder, 'home');
  const oka = join(top, 'bin/oka');
  const cpuOf = async (...args: string[]): Promise<number> => {
    const env = { OKA_CPU: join(folder, 'cpu') };
    await runQuietly(process.execPath, ['--require', reporter, ...args], { cwd: top, signal, env });
    return Number(readFileSync(env.OKA_CPU, 'utf8')) / 1000;
  };
  await cpuOf(oka, 'init', '--dir', home);
  const times = { node: [] as number[], help: [] as number[], status: [] as number[] };
  for (let round = 0; round <= STARTS; round += 1) {
    times.node.push(await cpuOf('-e', '0'));
    times.help.push(await cpuOf(oka, '--help'));
    times.status.push(await cpuOf(oka, 'status', '--dir', home));
  }
  const ms = (name: keyof typeof times): number => median(times[name].slice(1)); // the first one compiles
  // An empty Node is the same for all versions: how far its ratio is from 1 is the noise of the machine.
  return { empty_node_cpu_ms: ms('node'), help_cpu_ms: ms('help'), status_cpu_ms: ms('status') };
}
