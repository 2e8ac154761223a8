/** Real workers of several homes, killed and paused in the middle of commands: every result arrives, none is done twice. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../src/daemon/home/set-up.ts';
import { homeAt } from '../../src/daemon/settings.ts';
import { addTask } from '../../src/intake/add-task.ts';
import { submit } from '../../src/intake/submit-request.ts';
import { RUNS } from '../../src/fleet/fleet-subjects.ts';
import { readEvents } from '../../src/ledger/read-events.ts';
import { verifyLedger } from '../../src/ledger/verify-ledger.ts';
import type { TaskGraph } from '../../src/ledger/task-graph.ts';
import type { Home } from '../../src/schema/home.ts';
import { type Counter, startCounter } from '../support/call-counter.ts';
import { damageServer, fillDisk, isRoot, mountSmallDisk, restartAll, silence } from '../support/fleet-faults.ts';
import { findNatsServer, type NatsCluster, restartLeader, startCluster } from '../support/nats-cluster.ts';

const sizeOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const TASK_COUNT = sizeOf('OKA_FLEET_HOME_TASKS', 18);
const HOMES = sizeOf('OKA_FLEET_HOMES', 3);
const KILLS = sizeOf('OKA_FLEET_HOME_KILLS', 2);
const PAUSES = sizeOf('OKA_FLEET_HOME_PAUSES', 2);
const LEADER_KILLS = sizeOf('OKA_FLEET_HOME_LEADER_KILLS', 1);
/** All servers at once. */
const SERVER_KILLS = sizeOf('OKA_FLEET_HOME_SERVER_KILLS', 1);
/** Servers that are silent for a while. */
const SILENCES = sizeOf('OKA_FLEET_HOME_SILENCES', 1);
/** Flips of bits and cuts in files of one server. */
const DAMAGES = sizeOf('OKA_FLEET_HOME_DAMAGES', 6);
const HOUR_MS = 3_600_000;
const ACK_SECONDS = 3;
const PAUSE_MS = sizeOf('OKA_FLEET_HOME_PAUSE_MS', 6000);
const FULL_MS = 4000;
/** A person answers when whoever was paused is awake again and has finished its call, or was refused. */
const PATIENCE_MS = 9000;

/** However busy the machine is. */
const LONGEST_MS = 900_000 + 3000 * TASK_COUNT;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

type Member = { home: Home; name: string; process: ChildProcess };

describe.skipIf(!hasServer)('homes that share one inbox', () => {
  it(
    `return every result, and do nothing twice, with ${KILLS} kills and ${PAUSES} pauses of workers and ${LEADER_KILLS} of a leader`,
    async () => {
      await using cluster = await startCluster({ size: 3 });
      await using counter = await startCounter();
      const root = mkdtempSync(join(tmpdir(), 'oka-fleet-'));
      const disk = isRoot ? mountSmallDisk(join(root, `h${HOMES - 1}`), 96) : null;
      const members = Array.from({ length: HOMES }, (_, index) => openMember(root, `h${index}`, cluster, counter));
      try {
        const ids = Array.from({ length: TASK_COUNT }, (_, index) => `t-${index}`);
        for (const id of ids) addTask(inboxOf(members[0]), { text: taskText(id, counter), fields: { id } });
        const person = answerQuestions(members, counter);
        while (counter.counts.size < Math.min(3, TASK_COUNT)) await sleep(100);
        if (isRoot) await fillDisk(members.at(-1)?.home.dir ?? '', FULL_MS);
        await disturbServers(cluster);
        await disturb(members, cluster);
        await untilReturned(members[0], ids);
        person.stop();
        for (const member of members)
          expect(
            (await askFleet<Compared[]>(member, cluster, 'verify')).filter(({ verdict }) => verdict !== 'same'),
          ).toEqual([]);
        expect(await askFleet<{ name: string }[]>(members[0], cluster, 'members')).toHaveLength(HOMES);
        expect(await askFleet<object>(members[0], cluster, 'status')).toMatchObject({ waiting: 0, sent: [] });
        for (const { process: child } of members) child.kill('SIGTERM');
        await Promise.all(members.map(({ process: child }) => ended(child)));
        const counts = Object.fromEntries(ids.map((id) => [id, counter.counts.get(id) ?? 0]));
        expect(counts).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
        expect(await statusesAt(members[0])).toEqual(Object.fromEntries(ids.map((id) => [id, 'done'])));
        for (const id of ids) expect(resultAt(members[0], id)).not.toContain('owns it now');
        for (const { home } of members) expect(await verifyLedger(home.ledgers.run)).toMatchObject({ state: 'intact' });
        console.log(JSON.stringify({ tasks: TASK_COUNT, asked: person.asked(), ...(await figures(members)) }));
      } finally {
        for (const { process: child } of members) child.kill('SIGKILL');
        disk?.[Symbol.dispose]();
        if (process.env['OKA_FLEET_KEEP'] === undefined) rmSync(root, { recursive: true, force: true });
      }
    },
    LONGEST_MS,
  );
});

const inboxOf = (member: Member | undefined): string => join(member?.home.workspace ?? '', 'inbox');

const taskText = (id: string, { url }: Counter): string =>
  `# Count ${id}\n\n\`\`\`bash net:${url.slice('http://'.length)}\nsleep 0.4\ncurl -fsS -X POST ${url}/${id} > counted.txt\nsleep 0.4\n\`\`\`\n`;

function openMember(root: string, name: string, cluster: NatsCluster, counter: Counter): Member {
  const home = homeAt(join(root, name));
  setUp(home);
  const rule = `rules:\n  - { effect: allow, host: '${counter.url.slice('http://'.length)}' }`;
  writeFileSync(home.policy, readFileSync(home.policy, 'utf8').replace('rules: []', rule));
  return { home, name, process: startWorker(home, name, cluster) };
}

type Compared = { run: string; verdict: string };

/** What `oka fleet …` of this home prints as JSON. */
async function askFleet<T>(member: Member | undefined, cluster: NatsCluster, what: string): Promise<T> {
  const program = join(import.meta.dirname, '../../bin/oka');
  const words = [program, 'fleet', what, '--json', '--dir', member?.home.dir ?? ''];
  const env = { ...process.env, ...variablesOf(member?.name ?? '', cluster) };
  const { stdout } = await promisify(execFile)(process.execPath, words, { env });
  return JSON.parse(stdout) as T;
}

const variablesOf = (name: string, { url, monitors }: NatsCluster): Record<string, string> => ({
  OKA_FLEET: url,
  OKA_FLEET_MONITOR: monitors,
  OKA_FLEET_NAME: name,
  OKA_FLEET_ACK_SECONDS: `${ACK_SECONDS}`,
  OKA_TRIAL_CLOCK_MS: `${Number(name.slice(1)) % 2 === 0 ? 0 : HOUR_MS}`,
});

function startWorker(home: Home, name: string, cluster: NatsCluster): ChildProcess {
  const child = join(import.meta.dirname, '../support/fleet-home-child.ts');
  const started = spawn(process.execPath, [child, home.dir], {
    env: { ...process.env, ...variablesOf(name, cluster) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.stdout.on('data', (line: Buffer) => {
    if (process.env['OKA_FLEET_VERBOSE'] === '1') process.stdout.write(`[${name}] ${line.toString()}`);
  });
  return started;
}

async function disturbServers(cluster: NatsCluster): Promise<void> {
  for (let round = 0; round < SERVER_KILLS; round += 1) await restartAll(cluster);
  for (let round = 0; round < SILENCES; round += 1) await silence(cluster, round % cluster.size, PAUSE_MS);
  if (DAMAGES > 0) await damageServer(cluster, cluster.size - 1, DAMAGES);
}

/** Kills and pauses workers and kills a leader, spread over the work. */
async function disturb(members: Member[], cluster: NatsCluster): Promise<void> {
  const paused: Promise<void>[] = [];
  for (let round = 0; round < Math.max(KILLS, PAUSES, LEADER_KILLS); round += 1) {
    const killed = members[round % members.length];
    const other = members[(round + 1) % members.length];
    if (round < PAUSES && other !== undefined) paused.push(pause(other.process));
    if (round < KILLS && killed !== undefined) {
      killed.process.kill('SIGKILL');
      await ended(killed.process);
      killed.process = startWorker(killed.home, killed.name, cluster);
    }
    if (round < LEADER_KILLS) await restartLeader(cluster, RUNS);
    await sleep(3000);
  }
  await Promise.all(paused);
}

async function pause(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP');
  await sleep(PAUSE_MS);
  child.kill('SIGCONT');
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));

/** A person who checks whether a call in doubt has happened, and answers at the home that asks. */
function answerQuestions(members: readonly Member[], counter: Counter): { stop: () => void; asked: () => number } {
  const seen = new Map<string, number>();
  const answered = new Set<string>();
  const check = (): void => {
    for (const { home, name } of members)
      for (const { run, wait } of openQuestions(home)) {
        const key = `${name} ${wait}`;
        const since = seen.get(key) ?? performance.now();
        seen.set(key, since);
        if (answered.has(key) || performance.now() - since < PATIENCE_MS) continue;
        answered.add(key);
        const text = counter.counts.has(run.split('.')[0] ?? '') ? 'done' : 'repeat';
        submit(join(home.oka, 'intake'), { kind: 'answer', wait, answer: { verdict: 'answered', text } });
      }
  };
  const timer = setInterval(check, 500);
  return { stop: () => clearInterval(timer), asked: () => answered.size };
}

function openQuestions(home: Home): { run: string; wait: string }[] {
  const file = join(home.oka, 'active_task_graph.json');
  if (!existsSync(file)) return [];
  const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: TaskGraph };
  return state.goals.flatMap(({ run, waits }) =>
    waits.flatMap(({ wait, for: awaited }) => (awaited.kind === 'question' ? [{ run, wait }] : [])),
  );
}

const resultAt = (member: Member | undefined, id: string): string =>
  readFileSync(join(member?.home.workspace ?? '', 'outbox', id, 'RESULT.md'), 'utf8');

async function untilReturned(member: Member | undefined, ids: readonly string[]): Promise<void> {
  const fileOf = (id: string): string => join(member?.home.workspace ?? '', 'outbox', id, 'RESULT.md');
  for (let tries = 0; tries < 480 + 4 * TASK_COUNT; tries += 1) {
    const statuses = tries % 4 === 0 ? await statusesAt(member) : {};
    if (ids.every((id) => existsSync(fileOf(id)) && id in statuses)) return;
    await sleep(500);
  }
  throw new Error(`no result after four minutes: ${ids.filter((id) => !existsSync(fileOf(id))).join(', ')}`);
}

async function statusesAt(member: Member | undefined): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { type, run, data } of readEvents(member?.home.ledgers.run ?? ''))
    if (type === 'task.returned' && run !== null) found[run] = data.status;
  return found;
}

async function figures(members: readonly Member[]): Promise<Record<string, number>> {
  const found = { claims: 0, takeovers: 0, fenced: 0 };
  for (const { home } of members)
    for await (const { type, data } of readEvents(home.ledgers.run)) {
      if (type === 'run.claimed') found.claims += 1;
      if (type === 'run.claimed' && data.from !== undefined) found.takeovers += 1;
      if (type === 'run.fenced') found.fenced += 1;
    }
  return found;
}
