import { describe, expect, it } from 'vitest';
import { executionsOf } from '../../../src/memory/procedures/execution-record.ts';
import { familyOfRun } from '../../../src/memory/procedures/procedures-part.ts';
import { learning, type Step, type Told } from '../../support/procedures.ts';

const steps: Step[] = [{ tool: 'shell', input: { line: 'sort a.txt' } }];
const others: Step[] = [{ tool: 'shell', input: { line: 'sort -r a.txt' } }];
const first: Told = { run: 'first', body: 'Sort a.txt.', steps, by: 'procedure' };

/** Who saw a mistake of the procedure after these corrections, and whether the run still counts as corrected. */
function seenAfter(...corrections: Partial<Told>[]): [string | null, boolean] {
  const { book, tell, task } = learning();
  task(first);
  corrections.forEach((about, n) => {
    const run = `again-${n}`;
    tell({ type: 'run.corrected', run: 'first', data: { by: run, text: 'Do it anew.' } });
    task({ run, body: 'Do it anew.', steps, corrects: 'first', ...about });
  });
  const [known] = executionsOf(book, familyOfRun(book, 'first') ?? '');
  return [known?.seen_by ?? null, known?.corrected ?? false];
}

describe('a result of a procedure that a person had done again', () => {
  it('shows no mistake of it when the same was done again; that it was corrected still counts', () => {
    expect(seenAfter({})).toEqual([null, true]);
    expect(seenAfter({}, {})).toEqual([null, true]);
    expect(seenAfter({ steps: [{ ...steps[0], id: 'anew' } as Step], status: 'failed' })).toEqual([null, true]);
  });

  it.each<[string, Partial<Told>[]]>([
    ['something else was done', [{ steps: others }]],
    ['more was done', [{ steps: [...steps, ...others] }]],
    ['something else was done the first time', [{ steps: others }, {}]],
    ['something else was done the last time', [{}, { steps: others }]],
    ['nobody but the procedure planned it', [{ by: 'procedure' }]],
    ['it is the correction of another run', [{ corrects: 'another' }]],
  ])('shows one when %s', (_, corrections) => {
    expect(seenAfter(...corrections)).toEqual(['person', true]);
  });
});
