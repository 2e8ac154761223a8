import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { launcher, oka } from '../support/cli.ts';

describe('oka classify', () => {
  it('tells class, verdict and reason of a command without running it', () => {
    const { code, out } = oka('classify', 'rm -rf /');
    expect(code).toBe(0);
    expect(out).toContain('deny: deny');
    expect(out).toContain('outside the desk');
    expect(JSON.parse(oka('classify', '--json', 'git push').out)).toEqual({
      cmd: 'git push',
      class: 'external_mutation',
      verdict: 'ask',
      reason: 'git push reaches other repositories',
    });
  });

  it('takes JSON lines, tells of each in order, and goes on behind a bad one', () => {
    const input = '{"cmd":"echo hi"}\n{"cmd":7}\n\nno json\n{"cmd":"echo hi > x"}\n{"cmd":"sudo ls"}';
    const { status, stdout } = spawnSync(process.execPath, [launcher, 'classify', '--json', '-'], {
      input,
      encoding: 'utf8',
    });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.map((line) => line['verdict'] ?? 'error')).toEqual(['allow', 'error', 'error', 'allow', 'deny']);
    expect(lines[1]?.['error']).toContain('line 2');
    expect(lines[0]).toEqual({ cmd: 'echo hi', class: 'read', verdict: 'allow', reason: 'echo only reads' });
    expect(status).toBe(1);
  });

  it('wrong use is said clearly', () => {
    expect(oka('classify')).toMatchObject({ code: 2 });
    expect(oka('classify', '-').err).toContain('oka classify --json -');
  });
});
