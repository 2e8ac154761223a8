import { describe, expect, it } from 'vitest';
import { executionsOf } from '../../../src/kit/learning/execution-record.ts';
import { familyOfRun } from '../../../src/rooms/procedures/procedures-part.ts';
import { learning, type Step, type Told } from '../../support/procedures.ts';

const steps: Step[] = [{ tool: 'shell', input: { line: 'sort a.txt' } }];
const others: Step[] = [{ tool: 'shell', input: { line: 'sort -r a.txt' } }];
const first: Told = { run: 'first', body: 'Sort a.txt.', steps, by: 'procedure' };

type Seen = [by: string | null, corrected: boolean, repeated: boolean];

/** Who saw a mistake of the procedure after these corrections, and what else is known of the run. */
function seenAfter(...corrections: Partial<Told>[]): Seen {
  const { book, tell, task } = learning();
  task(first);
  corrections.forEach((about, n) => {
    const run = `again-${n}`;
    tell({ type: 'run.corrected', run: 'first', data: { by: run, text: 'Do it anew.' } });
    task({ run, body: 'Do it anew.', steps, corrects: 'first', ...about });
  });
  const [known] = executionsOf(book, familyOfRun(book, 'first') ?? '');
  return [known?.seen_by ?? null, known?.corrected ?? false, known?.repeated ?? false];
}

describe('a result of a procedure that a person had done again', () => {
  it('shows no mistake of it when the same was done again; that it was corrected still counts', () => {
    expect(seenAfter({})).toEqual([null, true, true]);
    expect(seenAfter({}, {})).toEqual([null, true, true]);
    expect(seenAfter({ steps: [{ ...steps[0], id: 'anew' } as Step], status: 'failed' })).toEqual([null, true, true]);
  });

  it.each<[string, Partial<Told>[]]>([
    ['something else was done', [{ steps: others }]],
    ['more was done', [{ steps: [...steps, ...others] }]],
    ['something else was done the first time', [{ steps: others }, {}]],
    ['something else was done the last time', [{}, { steps: others }]],
    ['nobody but the procedure planned it', [{ by: 'procedure' }]],
    ['it is the correction of another run', [{ corrects: 'another' }]],
  ])('shows one when %s', (_, corrections) => {
    expect(seenAfter(...corrections)).toEqual(['person', true, false]);
  });
});

describe('a result of a procedure that the critic sent back although every check held', () => {
  const renamed: Step[] = [{ ...steps[0], id: 'anew' } as Step];
  const known = (about: Partial<Told>, corrected = false): [string | null, boolean, boolean] => {
    const { book, tell, task } = learning();
    task({ ...first, ...about });
    if (corrected) tell({ type: 'run.corrected', run: 'first', data: { by: 'later', text: 'It is wrong.' } });
    const [run] = executionsOf(book, familyOfRun(book, 'first') ?? '');
    return [run?.seen_by ?? null, run?.fine ?? true, run?.repeated ?? false];
  };

  it('shows no mistake of it when the same was accepted after all; that it was sent back still counts', () => {
    expect(known({ again: [renamed] })).toEqual([null, false, true]);
    expect(known({ again: [renamed, steps] })).toEqual([null, false, true]);
    expect(known({ again: [others, renamed] })).toEqual([null, false, true]);
  });

  it('shows one when a person corrects what was done twice', () => {
    expect(known({ again: [renamed] }, true)).toEqual(['person', false, true]);
    expect(known({ again: [renamed], by: 'model' }, true)).toEqual([null, false, false]);
    expect(known({ by: 'model' }, true)).toEqual([null, false, false]);
  });

  it.each<[string, Partial<Told>]>([
    ['something else was done', { again: [others] }],
    ['more was done', { again: [[...steps, ...others]] }],
    ['something else was done in the end', { again: [renamed, others] }],
    ['the same was never accepted', { again: [renamed], status: 'failed' }],
  ])('shows one when %s', (_, about) => {
    expect(known(about)).toEqual(['critic', false, false]);
    expect(known(about, true)).toEqual(['critic', false, false]);
    expect(known({ ...about, by: 'model' })).toEqual([null, false, false]);
  });
});
