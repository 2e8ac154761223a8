/** What the folders on the host may look like when somebody starts, and what is said when they cannot be used. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { docker, IMAGE } from './engine.ts';
import { give, OWNER, runbook, Stage, until } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

describe.skipIf(missing !== '')('the folders on the host', () => {
  it('may be empty: what is missing is made, and the first task is done', async () => {
    using stage = new Stage();
    for (const folder of ['.oka', 'workspace']) rmSync(join(stage.dir, folder), { recursive: true });
    for (const folder of ['.oka/rules', 'workspace']) mkdirSync(join(stage.dir, folder), { recursive: true });
    for (const folder of ['.oka', 'workspace']) give(join(stage.dir, folder));
    stage.up();
    expect((await stage.result('welcome')).text).toContain('✅ Done');
    expect(existsSync(join(stage.dir, '.oka/rules/POLICY.md'))).toBe(true);
  });

  it('that are missing are not made as root: compose says which, and nothing is started', () => {
    using stage = new Stage();
    rmSync(join(stage.dir, 'workspace'), { recursive: true });
    const { code, all } = stage.compose('up', '--detach');
    expect([code, existsSync(join(stage.dir, 'workspace'))]).toEqual([1, false]);
    expect(all).toMatch(/bind source path does not exist: .*\/workspace/);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'of another owner are told in one line with the remedy, and nothing loops',
    async () => {
      using stage = new Stage();
      give(join(stage.dir, 'workspace'), { uid: 0, gid: 0 });
      expect(stage.compose('up', '--detach').code).not.toBe(0);
      expect(stage.logs('init')).toContain(`oka: workspace belongs to uid 0 and is not open to uid ${OWNER.uid}`);
      expect(stage.logs('init')).toContain(`sudo chown -R ${OWNER.uid}:${OWNER.gid} .oka workspace`);
      expect([stage.inspect('init').RestartCount, stage.inspect('worker').State.Status]).toEqual([0, 'created']);
      give(join(stage.dir, 'workspace'));
      stage.up();
      expect((await stage.result('welcome')).uid).toBe(OWNER.uid);
    },
  );

  it.skipIf(process.getuid?.() !== 0)('may belong to any user: OKA_UID and OKA_GID say to whom', async () => {
    using stage = new Stage({ OKA_UID: '4321', OKA_GID: '4322' });
    for (const folder of ['.oka', 'workspace']) give(join(stage.dir, folder), { uid: 4321, gid: 4322 });
    stage.up();
    const { text, uid } = await stage.result('welcome');
    expect([text.includes('✅ Done'), uid]).toEqual([true, 4321]);
  });

  it('a policy that was spoiled while nothing ran is told once and waited for, and mending it is enough', async () => {
    using stage = new Stage();
    const right = stage.read('.oka/rules/POLICY.md');
    stage.drop('.oka/rules/POLICY.md', right.replace('version: 1', 'version: one'));
    stage.up();
    for (const service of ['worker', 'egress'])
      await until(`what ${service} says`, () => (/POLICY\.md/.test(stage.logs(service)) ? true : null));
    await sleep(8000);
    for (const service of ['worker', 'egress']) expect(stage.logs(service).match(/POLICY\.md/g)).toHaveLength(1);
    expect(stage.oka('status', '--health')).toMatchObject({ code: 1, out: 'no worker is running\n' });
    stage.drop('.oka/rules/POLICY.md', right);
    await stage.result('welcome');
    await stage.healthy('egress');
    expect([stage.inspect('worker').RestartCount, stage.inspect('egress').RestartCount]).toEqual([0, 0]);
  });
});

describe.skipIf(missing !== '')('what is needed besides', () => {
  it('is built in by OKA_EXTRA_APT, and is there for a step', async () => {
    const image = `${IMAGE}-more`;
    using stage = new Stage({ OKA_IMAGE: image, OKA_EXTRA_APT: 'bc' });
    expect(stage.compose('build').code).toBe(0);
    stage.up();
    stage.drop('workspace/inbox/sum.md', runbook('Sum', ['echo "6 * 7" | bc']));
    expect((await stage.result('sum', /Done/)).text).toMatch(/^\s*42$/m);
    stage.compose('down', '--timeout', '5');
    docker(['image', 'rm', '--force', image]);
  });
});
