/** What the folders on the host may look like when somebody starts, and what is said when they cannot be used. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { docker, IMAGE, must } from './engine.ts';
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

describe.skipIf(missing !== '')('another OKA_UID', () => {
  it('than the keys in the volumes have is refused by init with the command that hands them over, and then works', async () => {
    using stage = new Stage();
    stage.up();
    await stage.healthy();
    must(['compose', '--project-name', stage.project, 'exec', '-T', 'worker', 'oka', 'secrets', 'set', 'TRIAL'], {
      cwd: stage.dir,
      env: stage.env,
      input: 'open-sesame-4711\n',
    });
    stage.compose('down', '--timeout', '20');
    for (const folder of ['.oka', 'workspace']) spawnSync('chown', ['-R', '1007:1007', folder], { cwd: stage.dir });
    Object.assign(stage.env, { OKA_UID: '1007', OKA_GID: '1007' });
    expect(stage.compose('up', '--detach').code).toBe(1);
    const [, command = ''] = /docker compose (run .* init -R .*)$/m.exec(stage.logs('init')) ?? [];
    expect(command).toContain('-R 1007:1007 /keys/');
    expect(stage.compose(...command.trim().split(' '))).toMatchObject({ code: 0 });
    stage.up();
    await stage.healthy();
    expect(stage.oka('secrets', 'list').out).toContain('TRIAL');
  });
});

describe.skipIf(missing !== '')('health', () => {
  it.each(['web', 'egress'])('of %s is an answer: a process that is frozen gives none', async (service) => {
    using stage = new Stage();
    stage.up();
    await stage.healthy(service);
    const {
      Test: [, ...test],
    } = stage.inspect(service).Config.Healthcheck;
    expect(stage.within(service, ...test).code).toBe(0);
    const pids = (): string[] =>
      must(['top', stage.container(service), '-eo', 'pid,comm'])
        .split('\n')
        .slice(1)
        .flatMap((line) => /^\s*(\d+) (?!docker-init)/.exec(line)?.[1] ?? []);
    spawnSync('kill', ['-STOP', ...pids()]);
    try {
      expect(stage.within(service, ...test).code).not.toBe(0);
    } finally {
      spawnSync('kill', ['-CONT', ...pids()]);
    }
  });
});

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
