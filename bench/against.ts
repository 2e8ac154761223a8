/**
 * `npm run -s bench -- against <commit>… [--rounds 5] [--suite quick,engine,…] [--tolerance 5] [--json] [--check]`: this
 * checkout and other commits, measured in turns on one machine. The set `quick` is measured by the same code for all
 * versions, in CPU time; other suites are those of each version's own bench.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measured, measureVersion } from './against/measure-version.ts';
import { compareRounds, comparisonTable } from './against/ratios.ts';
import { commitOf, openVersion, thisVersion, type Version } from './against/versions.ts';

export type AgainstOptions = {
  commits: readonly string[];
  rounds: number;
  suites: readonly string[];
  /** What is not called slower, as a share of 1. */
  tolerance: number;
  json: boolean;
  check: boolean;
};

const INTERRUPTED = 130;
const note = (text: string): void => void process.stderr.write(`  against: ${text}\n`);

/** Returns the exit code. */
export async function measureAgainst(options: AgainstOptions): Promise<number> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());
  const folder = mkdtempSync(join(tmpdir(), 'oka-versions-'));
  try {
    return await compareIn(folder, options, interruption.signal);
  } catch (error) {
    process.stderr.write(interruption.signal.aborted ? 'interrupted\n' : `${(error as Error).message}\n`);
    return interruption.signal.aborted ? INTERRUPTED : 2;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compareIn(folder: string, options: AgainstOptions, signal: AbortSignal): Promise<number> {
  if (options.commits.length === 0) throw new Error('name a commit: npm run bench -- against <commit>');
  const commits = options.commits.map(commitOf);
  await using opened = new AsyncDisposableStack();
  const versions = [opened.use(thisVersion(note))];
  for (const commit of commits) {
    note(`checking out ${commit.slice(0, 8)}`);
    versions.push(opened.use(await openVersion(commit, folder, signal)));
  }
  const [now = [], ...others] = await measureRounds(versions, options, signal);
  const tables = others.map((other) => compareRounds(now, other, options.tolerance));
  const slower = tables.flat().filter(({ verdict }) => verdict === 'slower');
  const names = versions.slice(1).map(({ name }) => name);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(Object.fromEntries(tables.map((table, index) => [names[index], table])))}\n`
      : tables.map((table, index) => comparisonTable(names[index] ?? '', table)).join('\n'),
  );
  if (slower.length > 0) process.stderr.write(`slower: ${slower.map(({ name }) => name).join(', ')}\n`);
  return options.check && slower.length > 0 ? 1 : 0;
}

/** By version. Each round starts with another one, so that none always comes after the same. */
async function measureRounds(
  versions: readonly Version[],
  { rounds, suites }: AgainstOptions,
  signal: AbortSignal,
): Promise<Measured[][]> {
  const measured: Measured[][] = versions.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < versions.length; turn += 1) {
      const index = (round + turn) % versions.length;
      const version = versions[index];
      if (version === undefined) continue;
      note(`round ${round + 1} of ${rounds}: ${version.name}`);
      measured[index]?.push(await measureVersion(version, suites, signal));
    }
  }
  return measured;
}
