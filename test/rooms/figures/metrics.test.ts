import { describe, expect, it } from 'vitest';
import type { Metrics } from '../../../src/rooms/figures/figures.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const TASK = '# Count\n\n```sh\necho 3 > count.txt\n```\n\n- [ ] file count.txt exists\n';
const WRONG = '# Fail\n\n```sh\nexit 7\n```\n';

describe('oka metrics', () => {
  it('says how well it went, from the ledger alone', async () => {
    using folder = temporaryFolder();
    expect(await oka('metrics', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringContaining('no tasks yet'),
    });
    expect((await oka('run', TASK, '--dir', folder.dir)).code).toBe(0);
    expect((await oka('run', WRONG, '--dir', folder.dir)).code).toBe(1);
    const { code, out } = await oka('metrics', '--dir', folder.dir);
    expect(code).toBe(0);
    expect(out).toContain('2 tasks');
    expect(out).toMatch(/completion\s+50 %\s+1 done of 2 ended: fail-/);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const metrics = JSON.parse((await oka('metrics', '--json', '--dir', folder.dir)).out) as Metrics;
    expect(metrics).toMatchObject({ tasks: 2, open: 0 });
    expect(metrics.figures.find(({ name }) => name === 'completion')).toMatchObject({
      value: 0.5,
      runs: [expect.stringMatching(/^fail-/)],
    });
    const later = JSON.parse(
      (await oka('metrics', '--json', '--since', '9999-01-01', '--dir', folder.dir)).out,
    ) as Metrics;
    expect(later.tasks).toBe(0);
  });

  it('refuses a time that is none', async () => {
    using folder = temporaryFolder();
    const { code, err } = await oka('metrics', '--since', 'yesterday', '--dir', folder.dir);
    expect(code).toBe(2);
    expect(err).toContain('--since 7d');
  });
});
