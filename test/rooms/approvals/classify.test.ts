import { describe, expect, it } from 'vitest';
import { oka, okaWith } from '../../support/cli.ts';

describe('oka classify', () => {
  it('tells class, verdict and reason of a command without running it', async () => {
    const { code, out } = await oka('classify', 'rm -rf /');
    expect(code).toBe(0);
    expect(out).toContain('deny: deny');
    expect(out).toContain('outside the desk');
    expect(JSON.parse((await oka('classify', '--json', 'git push')).out)).toEqual({
      cmd: 'git push',
      class: 'external_mutation',
      verdict: 'ask',
      reason: 'git push reaches other repositories',
    });
  });

  it('takes JSON lines, tells of each in order, and goes on behind a bad one', async () => {
    const input = '{"cmd":"echo hi"}\n{"cmd":7}\n\nno json\n{"cmd":"echo hi > x"}\n{"cmd":"sudo ls"}';
    const { code, out } = await okaWith({ input }, 'classify', '--json', '-');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
    expect(lines.map((line) => line['verdict'] ?? 'error')).toEqual(['allow', 'error', 'error', 'allow', 'deny']);
    expect(lines[1]?.['error']).toContain('line 2');
    expect(lines[0]).toEqual({ cmd: 'echo hi', class: 'read', verdict: 'allow', reason: 'echo only reads' });
    expect(code).toBe(1);
  });

  it('wrong use is said clearly', async () => {
    expect(await oka('classify')).toMatchObject({ code: 2 });
    expect((await oka('classify', '-')).err).toContain('oka classify --json -');
  });
});
