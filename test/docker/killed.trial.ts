/** Whatever is killed comes back by itself, and nothing is done twice. */
import { execSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runbook, Stage, until, waitsOf } from './stage.ts';

const missing = inject('missing');
if (missing !== '') it.skip(`the containers are not tried: ${missing}`, () => undefined);

const KILLS = Number(process.env['OKA_TRIAL_KILLS'] ?? 6);
/** A container that has lasted for so long is started again at once; else each start is put off for longer. */
const LASTED_MS = 10_500;
/** A command that starts the engine again; without it the engine is not killed: others may be using it. */
const ENGINE = process.env['OKA_TRIAL_ENGINE'];
const SERVICES = ['worker', 'maintenance', 'egress'];
/** Each kill puts the next start off for longer, so a task is killed so often and the next one begins afresh. */
const CHILD_KILLS = 5;
const CHILD_TASKS = Number(process.env['OKA_TRIAL_CHILD_KILLS'] ?? 5) / CHILD_KILLS;

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

  it(`the worker alone, ${CHILD_KILLS * CHILD_TASKS} times: it is done once, and nobody is asked`, async () => {
    for (let task = 0; task < CHILD_TASKS; task++) await killedOften(stage, `child${task}`);
    const asked = stage.events('wait.opened').filter(isQuestionOf('child'));
    process.stdout.write(
      `${CHILD_KILLS * CHILD_TASKS} kills of the worker, a person was asked ${asked.length} times\n`,
    );
    expect(asked).toEqual([]);
  }, 900_000);

  it.skipIf(ENGINE === undefined)(
    'the engine with everything in it, as when the power is cut: all of it is back by itself and goes on',
    async () => {
      const steps = [...Array(6).keys()].map((n) => `sleep 2; echo ${n} >> power.txt`);
      stage.drop('workspace/inbox/power.md', runbook('Power', steps));
      await until('a step', () => (existsSync(join(stage.dir, 'workspace/desk/power.txt')) ? true : null));
      for (const pid of [...enginePids(), ...SERVICES.map((service) => stage.inspect(service).State.Pid)])
        killIfThere(pid);
      await until('its end', () => (enginePids().length === 0 ? true : null));
      execSync(ENGINE ?? '', { stdio: 'ignore' });
      for (const service of SERVICES) await stage.healthy(service);
      const asked = await answerByLooking(stage, 'power.txt');
      process.stdout.write(`the engine was killed, a person was asked ${asked} times\n`);
      await stage.result('power', /✅ Done/);
      expect(stage.read('workspace/desk/power.txt').trim().split('\n')).toEqual(steps.map((_, n) => String(n)));
      expect(stage.oka('verify').code).toBe(0);
    },
  );

  it('a worker that hangs is noticed and replaced', async () => {
    const before = stage.events('worker.started').length;
    stage.inside('bash', '-c', `kill -STOP ${workerPid(stage)}`);
    await until('the next worker', () => (stage.events('worker.started').length > before ? true : null), 180_000);
    expect(stage.logs('worker')).toContain('did not answer any more and was killed');
  });
});

async function killedOften(stage: Stage, name: string): Promise<void> {
  stage.compose('restart', 'worker');
  await until('the worker', () => (stage.oka('status', '--health').code === 0 ? true : null));
  const steps = [...Array(8).keys()].map((n) => `sleep 1; echo ${n} >> ${name}.txt`);
  stage.drop(`workspace/inbox/${name}.md`, runbook(name, steps));
  const restarts = stage.inspect('worker').RestartCount;
  for (let kill = 0; kill < CHILD_KILLS; kill++) {
    const before = stage.events('worker.started').length;
    await until('a step', () => (existsSync(join(stage.dir, `workspace/desk/${name}.txt`)) ? true : null));
    await sleep(500 + ((kill * 377) % 900));
    stage.inside('bash', '-c', `kill -9 ${workerPid(stage)}`);
    await until('the next worker', () => (stage.events('worker.started').length > before ? true : null));
  }
  await stage.result(name, /✅ Done/);
  expect(stage.read(`workspace/desk/${name}.txt`).trim().split('\n')).toEqual(steps.map((_, n) => String(n)));
  expect(stage.inspect('worker').RestartCount).toBe(restarts);
}

function isQuestionOf(name: string): (event: { run?: string; data: Record<string, unknown> }) => boolean {
  return ({ run, data }) => run?.startsWith(name) === true && (data['for'] as { kind: string }).kind === 'question';
}

/** From outside where we may; else its child, with which it ends. */
function killMain(stage: Stage): void {
  const { Pid } = stage.inspect('worker').State;
  if (process.getuid?.() === 0 && existsSync(`/proc/${Pid}`)) process.kill(Pid, 'SIGKILL');
  else stage.inside('bash', '-c', 'for p in /proc/[0-9]*; do grep -qz "^up$" $p/cmdline && kill -9 ${p#/proc/}; done');
}

/** Whoever would notice that a container ended goes first. */
function enginePids(): number[] {
  const names = ['dockerd', 'containerd', 'containerd-shim'];
  const found = readdirSync('/proc').flatMap((pid) => {
    const name = /^\d+$/.test(pid) ? commandOf(pid) : '';
    return names.includes(name) ? [{ pid: Number(pid), rank: names.indexOf(name) }] : [];
  });
  return found.toSorted((a, b) => a.rank - b.rank).map(({ pid }) => pid);
}

/** One may have ended with another. */
function killIfThere(pid: number): void {
  if (existsSync(`/proc/${pid}`)) spawnSync('kill', ['-9', String(pid)]);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

function workerPid(stage: Stage): number {
  return (JSON.parse(stage.read('.oka/locks/run_ledger.lock.holder.json')) as { pid: number }).pid;
}

/** A person looks at the desk: a step whose line is there was done. */
async function answerByLooking(stage: Stage, file = 'killed.txt'): Promise<number> {
  await sleep(700);
  const waits = waitsOf(stage);
  for (const wait of waits) {
    const [, step = '0'] = /\.step-(\d+)\./.exec(wait) ?? [];
    const lines = existsSync(join(stage.dir, 'workspace/desk', file)) ? stage.read(`workspace/desk/${file}`) : '';
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
