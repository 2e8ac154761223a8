import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/core/engine/engine.ts';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import { judgeCheck } from '../../../src/rooms/task/roles/check-calls.ts';
import { parseRunbook } from '../../../src/kit/task/runbook.ts';
import { shellTool } from '../../../src/rooms/desk/tools/shell.ts';

let desk = '';
beforeEach(() => {
  desk = mkdtempSync(join(tmpdir(), 'oka-runbook-'));
});
afterEach(() => rmSync(desk, { recursive: true }));

const fence = (info: string, ...lines: string[]): string => `\n\`\`\`${info}\n${lines.join('\n')}\n\`\`\`\n`;

async function done(text: string): Promise<RunState> {
  const runbook = parseRunbook(text, { title: 'test' });
  if (runbook?.kind !== 'runbook') throw new Error(JSON.stringify(runbook));
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
  const sleep = (ms: number): Promise<void> => after(ms);
  const engine = createEngine({ tools: [shellTool({ desk, env })], clock: Date.now, sleep });
  const drive = await engine.start(runbook.graph, { id: 'r1', input: runbook.input });
  await drive.done;
  const run = await engine.stateOf('r1');
  if (run === null) throw new Error('no run');
  return run;
}

const statuses = (run: RunState): string[] => run.nodes.map(({ status }) => status);
const read = (path: string): string => readFileSync(join(desk, path), 'utf8');

describe('a runbook, run by the engine with the real shell', () => {
  it('does its steps in order, in three languages, and takes code as it is written', async () => {
    const run = await done(
      [
        '# Fetch',
        fence('bash', "printf '%s\\n' '{{name}}' \"$(echo {{last}})\" > a.txt"),
        '1. Count',
        fence('python', 'text = open("a.txt").read()', 'open("b.txt", "w").write(f"{len(text)} {{x}}")'),
        '2. Close',
        fence(
          'js',
          'const fs = require("node:fs");',
          'fs.writeFileSync("c.txt", fs.readFileSync("b.txt", "utf8") + "!");',
        ),
      ].join('\n'),
    );
    expect(run.status).toBe('done');
    expect(read('a.txt')).toBe('{{name}}\n{{last}}\n');
    expect(read('c.txt')).toBe('18 {x}!');
  });

  it('R3 stops at the first line that fails, and tells its line', async () => {
    const run = await done(fence('bash', '# one', 'false-program', 'echo never > x.txt'));
    expect(run.status).toBe('failed');
    expect(run.failure?.reason).toMatch(/exit 127[\s\S]*line 2/);
    expect(() => read('x.txt')).toThrow('ENOENT');
  });

  it('goes on with a fallback and keeps what needs a failed step from starting', async () => {
    const run = await done(`${fence('bash id:a fallback:"none"', 'false')}${fence('bash id:b', 'true')}`);
    expect(statuses(run)).toEqual(['done', 'done']);
    const stopped = await done(`${fence('bash id:c', 'false')}${fence('bash id:d', 'true')}`);
    const steps = stopped.nodes.map(({ status }, index) => ({
      id: stopped.configs[index]?.id ?? '',
      status,
      reason: '',
      fallback: false,
    }));
    expect(judgeCheck({ kind: 'steps' }, [], { steps })).toMatchObject({
      holds: false,
      evidence: expect.stringContaining('c is failed'),
    });
  });
});
