/** docker-compose.fleet.yml: three workers and three message servers, of which any may be killed. */
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findNatsServer } from '../support/nats-cluster.ts';
import { BASE, docker, IMAGE, must } from './engine.ts';
import { OWNER, reaching, runbook, Stage, until } from './stage.ts';

const NATS = 'nats:2.15.1-alpine';
const hasImage = docker(['image', 'inspect', NATS]).code === 0 || docker(['pull', '-q', NATS]).code === 0;
const missing = inject('missing') || (hasImage || findNatsServer() !== null ? '' : `${NATS} cannot be pulled`);
if (missing !== '') it.skip(`the fleet is not tried in containers: ${missing}`, () => undefined);

const WORKERS = ['worker-1', 'worker-2', 'worker-3'];
const SERVERS = ['nats-1', 'nats-2', 'nats-3'];
/** However busy the machine is. */
const PATIENT_MS = 600_000;

describe.skipIf(missing !== '')('a checkout and `docker compose -f docker-compose.fleet.yml up`', () => {
  let stage: Stage;
  beforeAll(() => {
    stage = new Stage({ COMPOSE_FILE: 'docker-compose.fleet.yml', OKA_FLEET_ACK_SECONDS: '10', ...serverImage() });
  });
  afterAll(() => stage[Symbol.dispose]());

  const dropAt = (worker: string, id: string, steps: readonly string[]): void =>
    stage.drop(`fleet/${worker}/workspace/inbox/${id}.md`, `---\nid: ${id}\n---\n${runbook(id, steps)}`);
  const resultAt = async (worker: string, id: string) => {
    const result = await stage.result(id, /✅ Done/, { home: `fleet/${worker}`, service: worker, ms: PATIENT_MS });
    await until(`${id} has returned`, () => (returnsAt(worker, id) > 0 ? true : null), PATIENT_MS);
    return result;
  };
  const countAt = (worker: string, id: string): string[] =>
    stage.read(`fleet/${worker}/workspace/desk/${id}/count.txt`).trim().split('\n');
  /** The worker that is in the middle of a task. */
  const workerOf = (id: string): Promise<string> =>
    until(
      `somebody begins ${id}`,
      () => WORKERS.find((each) => existsSync(join(stage.dir, `fleet/${each}/workspace/desk/${id}/begun`))) ?? null,
      PATIENT_MS,
    );
  const returnsAt = (worker: string, id: string): number =>
    eventsAt(stage, worker, 'task.returned').filter(({ run }) => run === id).length;
  const working = async (): Promise<void> => {
    for (const each of WORKERS)
      await until(
        `${each} works`,
        () => (stage.within(each, 'oka', 'status', '--health').code === 0 ? true : null),
        PATIENT_MS,
      );
  };

  it('one command gives a fleet: a task of one home is done by some worker, and its result belongs to the user', async () => {
    stage.up();
    await working();
    dropAt('worker-1', 'first', ['echo 1 >> count.txt']);
    expect((await resultAt('worker-1', 'first')).uid).toBe(OWNER.uid);
    expect(countAt('worker-1', 'first')).toEqual(['1']);
    const names = await until('three members', () => {
      const { code, out } = stage.within('worker-1', 'oka', 'fleet', 'members', '--json');
      const members = code === 0 ? (JSON.parse(out) as { name: string }[]).map(({ name }) => name) : [];
      return members.length === 3 ? members : null;
    });
    expect(names).toEqual(WORKERS);
  }, 1_800_000);

  it('a worker is nobody but itself at the servers, reaches no route between them, and its password is in no folder', () => {
    for (const server of SERVERS) {
      expect(stage.within('worker-1', 'node', '-e', reaching(server, 4222)).out).toBe('REACHED\n');
      expect(stage.within('worker-1', 'node', '-e', reaching(server, 6222)).out).toBe('');
      expect(stage.within('worker-1', 'node', '-e', reaching(`${server}.routes`, 6222)).out).toBe('');
    }
    const asAnother = stage.within('worker-1', 'env', 'OKA_FLEET_NAME=worker-2', 'oka', 'fleet', 'status');
    expect(asAnother.code).not.toBe(0);
    expect(stage.within('web', 'node', '-e', reaching('nats-1', 4222)).out).toBe('');
    const [password = ''] =
      /(?<=worker-1", password: ")\w+/.exec(stage.within('nats-1', 'cat', '/fleet/users/users.conf').out) ?? [];
    expect(password).toHaveLength(48);
    expect(docker(['run', '--rm', '--volume', `${stage.dir}:/x:ro`, BASE, 'grep', '-rl', password, '/x']).out).toBe('');
  });

  it.each([...WORKERS, ...SERVERS])('%s has no rights that it does not need', (service) => {
    const { HostConfig, Config } = stage.inspect(service);
    expect(Config.User).toBe(`${OWNER.uid}:${OWNER.gid}`);
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Privileged: false, CapAdd: null, CapDrop: ['ALL'] });
    expect(HostConfig.Memory).toBeGreaterThan(0);
    expect(HostConfig.PidsLimit).toBeGreaterThan(0);
  });

  it('a worker that is killed in the middle of a task is replaced by another, and each step counts once', async () => {
    dropAt('worker-1', 'killed', [
      'echo 1 >> count.txt',
      'touch begun; sleep 15; echo 2 >> count.txt',
      'echo 3 >> count.txt',
    ]);
    const owner = await workerOf('killed');
    stage.compose('kill', owner);
    await until('another one asks about the step in doubt', () => answerDoubt(stage, 'killed', owner), PATIENT_MS);
    stage.up();
    await resultAt('worker-1', 'killed');
    expect(countAt('worker-1', 'killed')).toEqual(['1', '2', '3']);
    expect(returnsAt('worker-1', 'killed')).toBe(1);
    expect(eventsAt(stage, 'worker-1', 'task.returned').find(({ run }) => run === 'killed')?.data['worker']).not.toBe(
      owner,
    );
  }, 1_800_000);

  it('a message server that is killed is missed by nobody', async () => {
    stage.compose('kill', 'nats-1');
    dropAt('worker-2', 'without-one', ['echo 1 >> count.txt']);
    await resultAt('worker-2', 'without-one');
    expect(countAt('worker-2', 'without-one')).toEqual(['1']);
    stage.up();
    await stage.healthy('nats-1');
  }, 1_800_000);

  it('after `down` and `up` nothing is lost: the task goes on, with the same users and streams', async () => {
    await working();
    dropAt('worker-3', 'over-night', ['echo 1 >> count.txt', 'touch begun; sleep 5; echo 2 >> count.txt']);
    const users = stage.within('nats-1', 'cat', '/fleet/users/users.conf').out;
    await workerOf('over-night');
    stage.compose('down', '--timeout', '60');
    stage.up();
    const isBack = (): true | null => (returnsAt('worker-3', 'over-night') > 0 ? true : null);
    await until('its end, or a question about it', () => isBack() ?? answerDoubt(stage, 'over-night'), PATIENT_MS);
    await resultAt('worker-3', 'over-night');
    expect(countAt('worker-3', 'over-night')).toEqual(['1', '2']);
    expect(returnsAt('worker-3', 'over-night')).toBe(1);
    expect(stage.within('nats-1', 'cat', '/fleet/users/users.conf').out).toBe(users);
    for (const each of WORKERS) expect(stage.within(each, 'oka', 'verify').code, each).toBe(0);
  }, 1_800_000);

  it('the dashboard answers with a link, and a worker drains inside its container', async () => {
    await stage.healthy('web');
    const link = stage.within('web', 'oka', 'web', 'link').out.trim();
    const base = `http://127.0.0.1:${stage.env['OKA_WEB_PORT']}`;
    const body = JSON.stringify({ link: link.split('#')[1] });
    const headers = { origin: base, 'content-type': 'application/json' };
    const login = await fetch(`${base}/api/v1/login`, { method: 'POST', headers, body });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = await fetch(`${base}/fleet`, { headers: { cookie } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('worker-3')]);

    dropAt('worker-2', 'drained', ['touch begun; sleep 10; echo 1 >> count.txt']);
    const owner = await workerOf('drained');
    // Its container may end, and every command in it, before this one has said so.
    expect([0, 137]).toContain(stage.within(owner, 'oka', 'up', '--drain').code);
    await until(
      `${owner} has ended`,
      () => (stage.inspect(owner).RestartCount > 0 || stage.inspect(owner).State.Status === 'exited' ? true : null),
      PATIENT_MS,
    );
    await resultAt('worker-2', 'drained');
    expect(countAt('worker-2', 'drained')).toEqual(['1']);
    expect(returnsAt('worker-2', 'drained')).toBe(1);
  }, 1_800_000);
});

/** Where the image cannot be pulled: the nats-server of this machine, and the program that its health check uses. */
function serverImage(): Record<string, string> {
  if (hasImage) return {};
  const tag = `${IMAGE}-nats`;
  const dir = mkdtempSync(join(tmpdir(), 'oka-nats-image-'));
  copyFileSync(findNatsServer() ?? '', join(dir, 'nats-server'));
  const wget = 'RUN apt-get update && apt-get install -y --no-install-recommends wget && rm -rf /var/lib/apt/lists/*';
  writeFileSync(join(dir, 'Dockerfile'), `FROM ${BASE}\n${wget}\nCOPY nats-server /usr/local/bin/\n`);
  must(['build', '--quiet', '--tag', tag, dir]);
  rmSync(dir, { recursive: true });
  return { OKA_NATS_IMAGE: tag };
}

/** The folder of a task that was taken over is as it was before the step in doubt: that may be repeated. */
function answerDoubt(stage: Stage, id: string, gone = ''): true | null {
  const others = WORKERS.filter((each) => each !== gone);
  return others.some((each) => stage.within(each, 'oka', 'answer', id, 'repeat').code === 0) ? true : null;
}

type Recorded = { run?: string; data: Record<string, unknown> };

function eventsAt(stage: Stage, worker: string, type: string): Recorded[] {
  const lines = stage.read(`fleet/${worker}/.oka/run_ledger.jsonl`).split('\n');
  return lines.flatMap((line) => (line.includes(`"type":"${type}"`) ? [JSON.parse(line) as Recorded] : []));
}
