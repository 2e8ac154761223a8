/**
 * The rows of docs/SEEDS.md. As a reporter of the suites it says which named tests of the files that were run did not run,
 * and lets the suite fail where a test of that name did not even exist.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

export type SeedRow = { line: string; file?: string; title?: string };
/** The tests of a file by their titles, and whether each has run. */
export type RanTests = readonly { title: string; hasRun: boolean }[];

const ROW = /^\| (?<requirement>[^|]+) \| `(?<file>test\/[^`]+)`(?:: `(?<title>[^`]+)`)? \|$/;
/** What stands for something else in the title of a test with several cases. */
const HOLE = /\$\{[^}]*\}|%[sdifjo]|\$[a-z]\w*/g;

export const seedRows: readonly SeedRow[] = readFileSync(join(import.meta.dirname, '../../docs/SEEDS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| requirement '))
  .map((line) => ({ line, ...ROW.exec(line)?.groups }));

/** What a run of these files says about the rows that name them. */
export function rowsNotRun(
  rows: readonly SeedRow[],
  ran: ReadonlyMap<string, RanTests>,
): { missing: SeedRow[]; skipped: SeedRow[] } {
  const result: { missing: SeedRow[]; skipped: SeedRow[] } = { missing: [], skipped: [] };
  for (const row of rows) {
    const tests = ran.get(row.file ?? '');
    if (tests === undefined) continue;
    const named = tests.filter(({ title }) => row.title === undefined || isNamed(title, row.title));
    if (named.length === 0) result.missing.push(row);
    else if (!named.some(({ hasRun }) => hasRun)) result.skipped.push(row);
  }
  return result;
}

function isNamed(title: string, part: string): boolean {
  const words = part.replaceAll("\\'", "'").split(HOLE);
  let from = 0;
  return words.every((word) => {
    const at = title.indexOf(word, from);
    from = at + word.length;
    return at >= 0;
  });
}

export default class SeedsReporter implements Reporter {
  #hasFilter = false;

  onInit({ config }: Vitest): void {
    this.#hasFilter = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#hasFilter) return;
    const complete = modules.filter((module) => module.errors().length === 0);
    const ran = new Map(complete.map((module) => [module.relativeModuleId, testsOf(module)]));
    const { missing, skipped } = rowsNotRun(seedRows, ran);
    for (const { line } of skipped) console.log(`docs/SEEDS.md: the test did not run here: ${line}`);
    for (const { line } of missing) console.log(`docs/SEEDS.md: no test of that name was run: ${line}`);
    if (missing.length > 0) process.exitCode = 1;
  }
}

const testsOf = (module: TestModule): RanTests =>
  [...module.children.allTests()].map((test) => ({
    title: test.name,
    hasRun: test.result().state === 'passed' || test.result().state === 'failed',
  }));
