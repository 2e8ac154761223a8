/** From nothing to a result, and the everyday life behind it: edits on the host, stopping, going on. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { docker, must } from './engine.ts';
import { OWNER, runbook, Stage, until, waitsOf } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

describe.skipIf(missing !== '')('a checkout and `docker compose up`', () => {
  let stage: Stage;
  beforeAll(() => void (stage = new Stage()));
  afterAll(() => stage[Symbol.dispose]());

  it('one command gives a worker that has done its first task; the result on the host belongs to the user', async () => {
    const begun = performance.now();
    stage.up();
    const upAfter = performance.now() - begun;
    const { text, uid } = await stage.result('welcome');
    process.stdout.write(
      `up after ${(upAfter / 1000).toFixed(1)} s, first result after ${((performance.now() - begun) / 1000).toFixed(1)} s\n`,
    );
    expect(text).toContain('✅ Done');
    expect(uid).toBe(OWNER.uid);
    expect(lstatSync(join(stage.dir, '.oka/run_ledger.jsonl')).uid).toBe(OWNER.uid);
    for (const service of ['worker', 'maintenance', 'egress']) await stage.healthy(service);
    expect(stage.oka('doctor').all).not.toMatch(/^\s*(✗|bad)/m);
    expect(stage.events('sandbox.chosen').at(-1)?.data['kind']).toBe('jail');
  });

  it('a file that is dropped on the host becomes a result on the host', async () => {
    stage.drop('workspace/inbox/hello.md', runbook('Hello', ['echo "from $(uname -s)" > hello.txt', 'cat hello.txt']));
    expect((await stage.result('hello', /Done/)).text).toContain('from Linux');
    expect(lstatSync(join(stage.dir, 'workspace/desk/hello.txt')).uid).toBe(OWNER.uid);
  });

  it('maintenance tells the day from the ledger at the next of its times, in a page that belongs to the user', async () => {
    stage.drop('.oka/rules/config.json', '{ "maintenance": { "slots": { "learn": "* * * * *" } } }');
    const day = join(stage.dir, '.oka/memory', `${new Date().toISOString().slice(0, 10)}.md`);
    await until('the day', () => (existsSync(day) && /Hello/.test(readFileSync(day, 'utf8')) ? true : null));
    expect(lstatSync(day).uid).toBe(OWNER.uid);
    expect(stage.within('maintenance', 'oka', 'maintain', '--health').code).toBe(0);
    expect(stage.oka('verify').out).toMatch(/maintenance_ledger: intact, [1-9]/);
  });

  it('what a run changed is taken back from inside, although folders are mounts of their own', async () => {
    const [run = ''] = /hello-[0-9a-f]+/.exec(stage.oka('runs').out) ?? [];
    expect(stage.oka('undo', run).code).toBe(0);
    await until('hello.txt to go', () => (existsSync(join(stage.dir, 'workspace/desk/hello.txt')) ? null : true));
  });

  it('a secret that is put into the vault from inside is there after a recreate, and its key is in none of the folders', async () => {
    const value = 'open-sesame-4711';
    const set = docker(
      ['compose', '--project-name', stage.project, 'exec', '-T', 'worker', 'oka', 'secrets', 'set', 'TRIAL'],
      {
        cwd: stage.dir,
        env: stage.env,
        input: `${value}\n`,
      },
    );
    expect([set.code, set.err]).toEqual([0, expect.any(String)]);
    const workers = stage.events('worker.started').length;
    stage.up('--force-recreate');
    await until('the next worker', () => (stage.events('worker.started').length > workers ? true : null));
    expect(stage.oka('secrets', 'list').out).toContain('TRIAL');
    const found = spawnSync('grep', ['-rlE', `AGE-SECRET-KEY|${value}`, '.oka', 'workspace'], {
      cwd: stage.dir,
      encoding: 'utf8',
    });
    expect(found.stdout).toBe('');
  });

  it('POLICY.md saved by rename on the host is seen by the worker and by the proxy', async () => {
    const before = stage.events('policy.loaded').length;
    const rule = 'rules:\n  - effect: allow\n    why: a trial\n    host: allowed.example\n';
    stage.drop('.oka/rules/POLICY.md', stage.read('.oka/rules/POLICY.md').replace('rules: []\n', rule));
    await until('the policy in the ledger', () => (stage.events('policy.loaded').length > before ? true : null));
    await until('the policy at the proxy', () => (/policy has changed/.test(stage.logs('egress')) ? true : null));
  });

  it('config.json saved by rename is taken over by the next worker, and one with a mistake changes nothing', async () => {
    const before = stage.events('worker.started').length;
    stage.drop('.oka/rules/config.json', '{ "inbox": { "parallel": 0 } }');
    await until('the complaint', () => (/inbox\.parallel/.test(stage.read('.oka/run_ledger.jsonl')) ? true : null));
    expect(stage.events('worker.started')).toHaveLength(before);
    stage.drop('.oka/rules/config.json', '{ "inbox": { "settle_ms": 300 } }');
    await until('the next worker', () => (stage.events('worker.started').length > before ? true : null));
    expect(stage.inspect('worker').RestartCount).toBe(0);
  });

  it('a second project over the same folders says who holds the ledger, and waits', async () => {
    const other = new Stage({}, stage.dir);
    try {
      other.up();
      const said = await until(
        'what it says',
        () => /a worker is running already.*/.exec(other.logs('worker'))?.[0] ?? null,
      );
      expect(said).toMatch(/process \d+ on \w+/);
      await sleep(8000);
      expect(other.logs('worker').match(/a worker is running already/g)).toHaveLength(1);
      expect(other.inspect('worker').RestartCount).toBe(0);
      expect(stage.oka('status', '--health').code).toBe(0);
    } finally {
      other.compose('down', '--volumes', '--timeout', '5');
    }
  });

  it('down in the middle of a task ends clean within the grace, and the next up goes on with it', async () => {
    const steps = [
      'echo a >> steps.txt',
      'for i in $(seq 20); do sleep 0.5; done; echo b >> steps.txt',
      'echo c >> steps.txt',
    ];
    stage.drop('workspace/inbox/long.md', runbook('Long', steps));
    await until('the first step', () => (existsSync(join(stage.dir, 'workspace/desk/steps.txt')) ? true : null));
    await sleep(1500);
    const begun = performance.now();
    must(['compose', '--project-name', stage.project, 'down'], { cwd: stage.dir, env: stage.env });
    process.stdout.write(`down in the middle of a step: ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
    expect(stage.events('worker.stopped').at(-1)?.data['reason']).toBe('it was stopped');
    expect(docker(['volume', 'ls', '--quiet']).out).toContain(`${stage.project}_egress-key`);
    stage.up();
    // The command was ended with its container: whether it is done again is for a person to say.
    await stage.result('long', /was ended before it had finished/);
    for (const wait of waitsOf(stage)) stage.oka('answer', wait, 'repeat');
    await stage.result('long', /✅ Done/);
    expect(
      stage
        .read('workspace/desk/steps.txt')
        .split('\n')
        .filter((line) => line === 'a'),
    ).toHaveLength(1);
  });

  it('idle, worker and maintenance together stay under 300 MB', async () => {
    await sleep(5000);
    const services = ['worker', 'maintenance', 'egress'];
    const begun = services.map((service) => cpuOf(stage, service));
    await sleep(30_000);
    const shares = services.map((service, index) => (100 * (cpuOf(stage, service) - (begun[index] ?? 0))) / 30);
    const used = services.map((service) => memoryOf(stage, service));
    const told = services.map(
      (service, index) => `${service} ${used[index]?.toFixed(0)} MB ${shares[index]?.toFixed(2)} % of a core`,
    );
    process.stdout.write(`idle: ${told.join(', ')}\n`);
    expect((used[0] ?? 0) + (used[1] ?? 0)).toBeLessThan(300);
  });
});

function memoryOf(stage: Stage, service: string): number {
  const [used = ''] = must(['stats', '--no-stream', '--format', '{{.MemUsage}}', stage.container(service)]).split(
    ' / ',
  );
  const [, amount, unit] = /^([\d.]+)(\w+)/.exec(used) ?? [];
  return Number(amount) * (unit === 'GiB' ? 1073.7 : unit === 'MiB' ? 1.0486 : 0.001);
}

/** Seconds of processor time of everything that lives in it; what looked before is gone. */
function cpuOf(stage: Stage, service: string): number {
  const { out } = stage.within(
    service,
    'bash',
    '-c',
    'cat /proc/[0-9]*/stat 2>/dev/null | grep -v " (cat) \\| (bash) \\| (grep) "',
  );
  const ticks = out
    .trim()
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(')') + 2).split(' '));
  return ticks.reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0) / 100;
}
