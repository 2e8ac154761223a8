/** What makes oka slower, planted in a copy of the source, is counted by that copy and exceeds the budget. */
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { excessesIn, readBudget } from '../../bench/budget.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { testFolder } from '../support/test-folders.ts';

const root = join(import.meta.dirname, '../..');
const copy = testFolder('oka-planted-');
const budget = readBudget();

for (const name of ['src', 'bin', 'bench', 'share', 'test/support', 'package.json'])
  cpSync(join(root, name), join(copy, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the budget of a copy in which a fault was planted', () => {
  it('is exceeded by an import of zod into oka status', async () => {
    const home = homeAt(join(copy, 'home'));
    setUp(home);
    const { commandCounts } = await copied<typeof import('../../bench/budget/command-counts.ts')>('command-counts.ts');
    const excesses = (): string[] => excessesOf('oka status', commandCounts(home.dir, copy, ['status']));
    expect(excesses()).toEqual([]);
    plant(
      'src/app/status/read-status.ts',
      'import type { FailingChannel }',
      "import 'zod';\nimport type { FailingChannel }",
    );
    expect(excesses()).toEqual(['modules', 'packages', 'source_bytes']);
  });

  it('is exceeded by a second flush, and by a projection that parses times', async () => {
    const { stepCounts } = await copied<typeof import('../../bench/budget/step-counts.ts')>('step-counts.ts');
    plant('src/core/ledger/live-file.ts', 'this.#flush.now(this.#fd);', 'this.#flush.now(this.#fd);'.repeat(2));
    plant('src/core/guard/day-spending.ts', '=> {\n    if (isCopy', '=> {\n    Date.parse(event.at);\n    if (isCopy');
    const excesses = excessesOf('a node', stepCounts(copy));
    expect(excesses).toContain('flushes');
    expect(excesses).toContain('times_read');
  });
});

/** Of the bench of the copy, which counts what lies beside it. */
const copied = async <T>(name: string): Promise<T> => (await import(join(copy, 'bench/budget', name))) as T;

/** The names of the counts that are too large. */
function excessesOf(whose: string, counts: Record<string, Record<string, number>>): string[] {
  const one = { [whose]: counts[whose] ?? {} };
  const lines = excessesIn(one, { [whose]: budget[whose] ?? { why: '', most: {} } });
  return lines.map((line) => / takes \d+ (\w+),/.exec(line)?.[1] ?? line).toSorted();
}

function plant(file: string, place: string, fault: string): void {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  expect(source.split(place)).toHaveLength(2);
  writeFileSync(path, source.replace(place, fault));
}
