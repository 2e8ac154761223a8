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

describe('a command that changes files and misses a program', () => {
  const missed = (line: string): unknown =>
    diagnose()(...missing('csvcut', { author: 'operator', class: 'write_local', input: { line } }));

  it.each([
    'csvcut -c 1 a.csv > out.csv',
    'cat a.csv | csvcut -c 1 > out.csv',
    'set -e\ncd data && csvcut -c 1 a.csv > out.csv 2>&1',
    "csvcut -c 'a;b|c' a.csv > out.csv",
    "csvcut -c 1 <<'END' > out.csv\nrm x; rm y\nEND\n",
  ])('is run again once it is there, since nothing has happened yet: %j', (line) => {
    expect(missed(line)).toMatchObject({ kind: 'requirement', need: { name: 'csvcut' } });
  });

  it.each([
    'echo checked >> log.txt; csvcut -c 1 a.csv > out.csv',
    'csvcut -c 1 a.csv > out.csv; echo checked >> log.txt',
    'mkdir out\ncsvcut -c 1 a.csv > out/a.csv',
    'for f in *.csv; do csvcut -c 1 $f >> all.csv; done',
  ])('is not run again where another part may have changed something: %j', (line) => {
    expect(missed(line)).toEqual({ advice: expect.stringContaining('not run again by itself') });
  });
});
