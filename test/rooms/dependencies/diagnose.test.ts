import { describe, expect, it } from 'vitest';
import { diagnoseWith } from '../../../src/rooms/dependencies/diagnose.ts';
import { chooseRemedy } from '../../../src/rooms/dependencies/install/choose-remedy.ts';
import { callOf } from '../../support/engine-fakes.ts';
import type { ToolCall } from '../../../src/core/schema/tool.ts';

const diagnose = () =>
  diagnoseWith({
    home: { workspace: '/nowhere' } as never,
    remedyFor: (need) => chooseRemedy(need, { machine: { os: 'linux', cpu: 'x64' }, binaries: [] }),
    countMissed: () => ({ step: 0, run: 0 }),
  });

const missing = (program: string, change: Partial<ToolCall> = {}): [ToolCall, { status: 'failed'; error: string }] => [
  callOf({ tool: 'shell', author: 'model', run: 'task.execute.0.1', input: { line: `${program} x` }, ...change }),
  { status: 'failed', error: `exit 127. It wrote to stderr:\nbash: line 1: ${program}: command not found` },
];

describe('a program that only a person can install', () => {
  it('is first the problem of the model: it learns what could be used instead; missed again, a person is asked', () => {
    const ask = diagnose();
    expect(ask(...missing('pdftotext'))).toEqual({ advice: expect.stringContaining('pypdf') });
    expect(ask(...missing('pdftotext', { run: 'task.execute.1.1' }))).toMatchObject({
      kind: 'requirement',
      need: { name: 'pdftotext' },
    });
    expect(ask(...missing('pdftotext', { run: 'other.execute.0.1' }))).toHaveProperty('advice');
    expect(ask(...missing('pandoc'))).toEqual({ advice: expect.stringContaining('Markdown') });
  });

  it('is asked about at once where a person wrote the command, and what oka can install is installed', () => {
    const ask = diagnose();
    expect(ask(...missing('pdftotext', { author: 'operator' }))).toMatchObject({ kind: 'requirement' });
    expect(ask(...missing('csvcut'))).toMatchObject({ kind: 'requirement', need: { name: 'csvcut' } });
  });
});
