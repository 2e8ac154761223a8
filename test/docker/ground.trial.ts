/** What the folders on the host may look like when somebody starts, and what is said when they cannot be used. */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { docker, IMAGE } from './engine.ts';
import { give, OWNER, runbook, Stage, until, waitsOf } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

/** What docs/OPERATE.md says has to be there. */
const FOLDERS = [
  ...['rules', 'maintenance', 'brain', 'memory', 'intake', 'web'].map((name) => `.oka/${name}`),
  'workspace/inbox',
];

it.skipIf(missing !== '')(
  'what was compiled when the image was built is read at every start, by the user it was built for',
  () => {
    const words = ['run', '--rm', '--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE', '--env', 'HOME=/tmp', IMAGE, '--version'];
    const { all } = docker(words);
    expect(all).toMatch(/reading cache from .*cli\/main\.ts.*success/);
    expect(all).not.toMatch(/permission denied|was not initialized/);
  },
);

describe.skipIf(missing !== '')('the folders on the host', () => {
  it('may be empty: what is missing is made, and the first task is done', async () => {
    using stage = new Stage();
    for (const folder of ['.oka', 'workspace']) rmSync(join(stage.dir, folder), { recursive: true });
    for (const folder of FOLDERS) mkdirSync(join(stage.dir, folder), { recursive: true });
    for (const folder of ['.oka', 'workspace']) give(join(stage.dir, folder));
    stage.up();
    expect((await stage.result('welcome')).text).toContain('✅ Done');
    expect(existsSync(join(stage.dir, '.oka/rules/POLICY.md'))).toBe(true);
  });

  it('of an older version lack some: compose says which, nothing is started, and making them is enough', async () => {
    using stage = new Stage();
    for (const name of ['maintenance', 'brain', 'memory', 'intake'])
      rmSync(join(stage.dir, '.oka', name), { recursive: true });
    const { code, all } = stage.compose('up', '--detach');
    expect([code, existsSync(join(stage.dir, '.oka/brain'))]).toEqual([1, false]);
    expect(all).toMatch(/bind source path does not exist: .*\/\.oka\/\w+/);
    for (const folder of FOLDERS) mkdirSync(join(stage.dir, folder), { recursive: true });
    give(join(stage.dir, '.oka'));
    stage.up();
    await stage.result('welcome');
    await stage.healthy('maintenance');
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
      give(join(stage.dir, '.oka/memory'), { uid: 0, gid: 0 });
      expect(stage.compose('up', '--detach').code).not.toBe(0);
      expect(stage.logs('init')).toContain(`oka: .oka/memory belongs to uid 0 and is not open to uid ${OWNER.uid}`);
      give(join(stage.dir, '.oka'));
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
    await stage.healthy('maintenance');
    expect(lstatSync(join(stage.dir, '.oka/maintenance/maintenance_ledger.jsonl')).uid).toBe(4321);
    for (const [name, answer] of [
      ['yes', 'approve'],
      ['no', 'deny'],
    ] as const) {
      stage.drop(`workspace/inbox/${name}.md`, runbook(name, ['curl -sS -X POST http://example.org/']));
      const [wait = ''] = await until('a question', () => (waitsOf(stage).length > 0 ? waitsOf(stage) : null));
      expect(stage.oka(answer, wait)).toMatchObject({ code: 0 });
      await until('the answer', () =>
        stage.events('wait.closed').some(({ data }) => data['wait'] === wait) ? 1 : null,
      );
    }
  });

  it('a policy that was spoiled while nothing ran is told once and waited for, and mending it is enough', async () => {
    using stage = new Stage();
    const right = readFileSync(new URL('../../share/home/rules/POLICY.md', import.meta.url), 'utf8');
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
