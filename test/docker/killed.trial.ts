/** Whatever is killed comes back by itself, and nothing is done twice. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runbook, Stage, until, waitsOf } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

const KILLS = Number(process.env['OKA_TRIAL_KILLS'] ?? 20);
/** A container that has lasted for so long is started again at once; else each start is put off for longer. */
const LASTED_MS = 10_500;
const CHILD_KILLS = Number(process.env['OKA_TRIAL_CHILD_KILLS'] ?? 5);

describe.skipIf(missing !== '')('killed in the middle of a task', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = new Stage();
    stage.up();
    await stage.result('welcome');
  });
  afterAll(() => stage[Symbol.dispose]());

  it(`the container, ${KILLS} times: it is back by itself; every step is done once, or a person is asked`, async () => {
    const steps = [...Array(2 * KILLS).keys()].map((n) => `sleep 5; echo ${n} >> killed.txt`);
    stage.drop('workspace/inbox/killed.md', runbook('Killed', steps));
    await until('its begin', () => (runOf(stage, 'killed') === null ? null : true));
    let asked = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(LASTED_MS + ((kill * 977) % 5000));
      const restarts = stage.inspect('worker').RestartCount;
      killMain(stage);
      await until('the container', () => (stage.inspect('worker').RestartCount > restarts ? true : null));
      await until('the worker', () => (stage.oka('status', '--health').code === 0 ? true : null));
      asked += await answerByLooking(stage);
    }
    for (let look = 0; look < 240 && !isOver(stage, 'killed'); look++) {
      asked += await answerByLooking(stage);
      await sleep(500);
    }
    process.stdout.write(`${KILLS} kills of the container, a person was asked ${asked} times\n`);
    await stage.result('killed', /✅ Done/);
    expect(stage.read('workspace/desk/killed.txt').trim().split('\n')).toEqual(steps.map((_, n) => String(n)));
    expect(stage.oka('verify').code).toBe(0);
  }, 1_800_000);

  it(`the worker alone, ${CHILD_KILLS} times: it is done once, and nobody is asked`, async () => {
    const steps = [...Array(8).keys()].map((n) => `sleep 1; echo ${n} >> child.txt`);
    stage.drop('workspace/inbox/child.md', runbook('Child', steps));
    const restarts = stage.inspect('worker').RestartCount;
    for (let kill = 0; kill < CHILD_KILLS; kill++) {
      const before = stage.events('worker.started').length;
      await until('a step', () => (existsSync(join(stage.dir, 'workspace/desk/child.txt')) ? true : null));
      await sleep(500 + ((kill * 377) % 900));
      stage.inside('bash', '-c', `kill -9 ${workerPid(stage)}`);
      await until('the next worker', () => (stage.events('worker.started').length > before ? true : null));
    }
    await stage.result('child', /✅ Done/);
    expect(stage.read('workspace/desk/child.txt').trim().split('\n')).toEqual(steps.map((_, n) => String(n)));
    expect(stage.inspect('worker').RestartCount).toBe(restarts);
  });

  it('a worker that hangs is noticed and replaced', async () => {
    const before = stage.events('worker.started').length;
    stage.inside('bash', '-c', `kill -STOP ${workerPid(stage)}`);
    await until('the next worker', () => (stage.events('worker.started').length > before ? true : null), 180_000);
    expect(stage.logs('worker')).toContain('did not answer any more and was killed');
  });
});

/** From outside where we may; else its child, with which it ends. */
function killMain(stage: Stage): void {
  const { Pid } = stage.inspect('worker').State;
  if (process.getuid?.() === 0 && existsSync(`/proc/${Pid}`)) process.kill(Pid, 'SIGKILL');
  else stage.inside('bash', '-c', 'for p in /proc/[0-9]*; do grep -qz "^up$" $p/cmdline && kill -9 ${p#/proc/}; done');
}

function workerPid(stage: Stage): number {
  return (JSON.parse(stage.read('.oka/locks/run_ledger.lock.holder.json')) as { pid: number }).pid;
}

/** A person looks at the desk: a step whose line is there was done. */
async function answerByLooking(stage: Stage): Promise<number> {
  await sleep(700);
  const waits = waitsOf(stage);
  for (const wait of waits) {
    const [, step = '0'] = /\.step-(\d+)\./.exec(wait) ?? [];
    const lines = existsSync(join(stage.dir, 'workspace/desk/killed.txt'))
      ? stage.read('workspace/desk/killed.txt')
      : '';
    const isDone = lines.split('\n').includes(String(Number(step) - 1));
    stage.oka('answer', wait, isDone ? 'done' : 'repeat');
  }
  return waits.length;
}

function runOf(stage: Stage, name: string): string | null {
  return stage.events('task.received').find(({ run }) => run?.startsWith(name))?.run ?? null;
}

function isOver(stage: Stage, name: string): boolean {
  return stage.events('run.ended').some(({ run }) => run === runOf(stage, name));
}
