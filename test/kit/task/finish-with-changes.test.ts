import { describe, expect, it } from 'vitest';
import { readDecision } from '../../../src/kit/task/executor.ts';
import { finishOfLastTurn } from '../../../src/kit/task/finish-with-changes.ts';
import { Decision } from '../../../src/core/schema/decision.ts';
import type { Evidence, ModelAnswer } from '../../../src/core/schema/ports.ts';
import { askOf, called, turnOf } from '../../rooms/task/roles/prompts.ts';

const WRITE = { name: 'files_write', input: { path: 'report.md', content: 'Total: 3\n' } };
const FINISH = { name: 'finish', input: { output: 'report.md has the total.', why: 'it was written' } };

const withMore = (first: typeof WRITE | { name: string; input: { path: string } }): ModelAnswer => ({
  ...called(first.name, first.input),
  more: [FINISH],
});

describe('an answer in one turn with the last changes', () => {
  it('is part of the decision, which the ledger can record', () => {
    const decision = readDecision(withMore(WRITE), askOf());
    expect(decision).toMatchObject({
      kind: 'CallTool',
      tool: 'files.write',
      finish: { output: 'report.md has the total.', rationale: 'it was written' },
    });
    expect(Decision.parse(decision)).toEqual(decision);
  });

  it('does not count with a call whose result has to be seen', () => {
    expect(readDecision(withMore({ name: 'files_read', input: { path: 'a' } }), askOf())).not.toHaveProperty('finish');
  });

  it('counts with a command, whose success is what it waits for', () => {
    expect(
      readDecision({ ...withMore(WRITE), more: [{ name: 'shell', input: { line: 'date' } }, FINISH] }, askOf()),
    ).toHaveProperty('finish');
  });
});

describe('what the last turn ended with', () => {
  const finish = { output: 'done', rationale: '' };
  const decision = { kind: 'CallTool' as const, tool: 'files.write', input: { path: 'a' }, rationale: '', finish };
  const first = (change: Partial<Evidence> = {}): Evidence => turnOf(1, '', null, null, { decision, ...change });
  const read = turnOf(0, 'files.read', { path: 'b' }, { content: 'b' });

  it('is the answer when every call of the turn succeeded', () => {
    const evidence = [read, first(), turnOf(1, 'files.write', { path: 'c' }, null)];
    expect(finishOfLastTurn({ evidence, problem: null })).toEqual({ kind: 'Finish', ...finish });
  });

  it.each([
    ['a call failed', [first({ outcome: 'failed', error: 'no' })]],
    ['a later call of the turn failed', [first(), turnOf(1, 'files.write', {}, null, { outcome: 'denied' })]],
    ['a later call of the turn was not made', [first(), turnOf(1, 'files.write', {}, null, { outcome: null })]],
    ['there is a later turn', [first(), turnOf(2, 'files.read', {}, null)]],
    ['the answer was tried already', [first(), turnOf(2, '', null, null, { decision: { kind: 'Finish', ...finish } })]],
    ['nothing happened yet', []],
  ])('is nothing when %s', (_, evidence: Evidence[]) => {
    expect(finishOfLastTurn({ evidence, problem: null })).toBeNull();
  });

  it('is nothing when the last answer was not accepted', () => {
    expect(finishOfLastTurn({ evidence: [first()], problem: 'no' })).toBeNull();
  });
});
