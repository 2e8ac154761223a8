import { describe, expect, it } from 'vitest';
import type { ResultFacts } from '../../../../src/kit/runs/result-content.ts';
import { resultLine } from '../../../../src/rooms/task/roles/result-line.ts';

const facts: ResultFacts = {
  run: 'report-1',
  title: 'Weekly report',
  verdict: 'done',
  reason: '',
  task: 'report.md',
  started: '2026-01-05T08:00:00.000Z',
  ended: '2026-01-05T08:01:05.000Z',
  steps: [],
  criteria: [],
  files: { created: [], changed: [], removed: [] },
  hosts: [],
  artifacts: [],
  cost: { tokens: 0, usd: 0, calls: 0, modelCalls: 0, replans: 0, activeMs: 0, deskMs: 0 },
  model: null,
  questions: [],
  next: [],
  ledger: { first: 1, last: 2 },
};

const approval = { id: 'report-1.push.0.w0', text: 'git push (it leaves the machine)', ask: 'approval' } as const;

describe('the line about a task', () => {
  it.each<[Partial<ResultFacts>, string]>([
    [{}, 'done: Weekly report'],
    [{ verdict: 'cancelled', reason: 'cancelled by a person' }, 'cancelled: Weekly report'],
    [
      { verdict: 'failed', reason: 'exit 2. It wrote to stderr:\n\nls: no such file\nmore' },
      'failed: Weekly report: exit 2. It wrote to stderr: ls: no such file',
    ],
    [{ verdict: 'rework', reason: 'a.csv has 1 row' }, 'not done: Weekly report: a.csv has 1 row'],
    [{ verdict: 'paused' }, 'paused: Weekly report: oka resume report-1 continues it'],
    [{ verdict: 'running' }, 'stopped: Weekly report: it continues at the next start'],
    [
      {
        verdict: 'rework',
        reason: 'the steps failed: collect: exit 2. It wrote to stderr:\nls: no such file',
        steps: [
          { id: 'make', title: 'Make', status: 'done' },
          { id: 'collect', title: 'Collect', status: 'failed', error: 'exit 2. It wrote to stderr:\nls: no such file' },
        ],
      },
      'not done: Weekly report: Collect: exit 2. It wrote to stderr: ls: no such file',
    ],
    [
      { verdict: 'blocked', questions: [approval] },
      'waits for your approval: Weekly report: git push (it leaves the machine) (oka approve report-1)',
    ],
    [
      { verdict: 'blocked', questions: [approval, { ...approval, id: 'report-1.mail.0.w0' }] },
      'waits for your approval: Weekly report: git push (it leaves the machine) (oka approve report-1.push.0.w0)',
    ],
    [
      { verdict: 'blocked', questions: [{ id: 'report-1.w1', text: 'Which month?', ask: 'answer' }] },
      'waits for your answer: Weekly report: Which month? (oka answer report-1 "…")',
    ],
    [
      { verdict: 'blocked', questions: [{ id: 'report-1.w1', text: 'It needs ffmpeg.', ask: 'nothing' }] },
      'waits: Weekly report: It needs ffmpeg.',
    ],
  ])('states its outcome: %j', (change, line) => {
    expect(resultLine({ ...facts, ...change })).toBe(line);
  });

  it('is one line without anything that steers a terminal, whatever the task is called', () => {
    const line = resultLine({ ...facts, title: 'a\n\u001B[31mb\u202E', verdict: 'failed', reason: 'x\r\u0007y' });
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
