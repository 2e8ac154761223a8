/** Real workers of several homes, killed and paused in the middle of commands: every result arrives, none is done twice. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { RUNS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import type { TaskGraph } from '../../src/core/ledger/task-graph.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { type Counter, startCounter } from '../support/call-counter.ts';
import { powerDiskProblem } from '../support/power-disk.ts';
import { damageServer, fillDiskFor, isRoot, mountSmallDisk, restartAll, silence } from '../support/fleet-faults.ts';
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
/** All servers lose what they have not flushed; where root. */
const POWER_CUTS = powerCuts(sizeOf('OKA_FLEET_HOME_POWER_CUTS', 0));
/** One server cannot reach the other two for a while; workers still reach all of them. */
const PARTITIONS = sizeOf('OKA_FLEET_HOME_PARTITIONS', 0);
/** Flips of bits and cuts in files of one server. */
const DAMAGES = sizeOf('OKA_FLEET_HOME_DAMAGES', 0);
/** Where root. */
const FULL_DISKS = isRoot ? sizeOf('OKA_FLEET_HOME_FULL_DISKS', 0) : 0;
const HOUR_MS = 3_600_000;
const ACK_SECONDS = 3;
const PAUSE_MS = sizeOf('OKA_FLEET_HOME_PAUSE_MS', 6000);
const FULL_MS = 4000;
/** Long enough for the others to elect leaders. */
const PARTITION_MS = sizeOf('OKA_FLEET_HOME_PARTITION_MS', 15_000);
/** A person takes a moment to answer. */
const PATIENCE_MS = 2000;

/** However busy the machine is. */
const LONGEST_MS = 900_000 + 3000 * TASK_COUNT;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

type Member = { home: Home; name: string; process: ChildProcess };

describe.skipIf(!hasServer)('homes that share one inbox', () => {
  it(
    `return every result, and do nothing twice, with ${KILLS} kills and ${PAUSES} pauses of workers and ${LEADER_KILLS} of a leader`,
    async () => {
      await using cluster = await startCluster({ hasPowerDisk: POWER_CUTS > 0, hasRelays: PARTITIONS > 0 });
      await using counter = await startCounter();
      const root = mkdtempSync(join(tmpdir(), 'oka-fleet-'));
      const disk = isRoot ? mountSmallDisk(join(root, `h${HOMES - 1}`), 96) : null;
      const members = Array.from({ length: HOMES }, (_, index) => openMember(root, `h${index}`, cluster, counter));
      try {
        const ids = Array.from({ length: TASK_COUNT }, (_, index) => `t-${index}`);
        for (const id of ids) addTask(inboxOf(members[0]), { text: taskText(id, counter), fields: { id } });
        const person = answerQuestions(members, counter);
        while (counter.counts.size < Math.min(3, TASK_COUNT)) await sleep(100);
        for (let round = 0; round < FULL_DISKS; round += 1) await fillDiskFor(members.at(-1)?.home.dir ?? '', FULL_MS);
        await disturbServers(cluster);
        await disturb(members, cluster, counter);
        await untilReturned(members[0], ids);
        await person.stop();
        for (const member of members)
          await expect
            .poll(async () => (await askFleet<Compared[]>(member, cluster, 'verify')).filter(isOther), SETTLED)
            .toEqual([]);
        await expect
          .poll(() => askFleet<{ name: string }[]>(members[0], cluster, 'members'), SETTLED)
          .toHaveLength(HOMES);
        await expect
          .poll(() => askFleet<object>(members[0], cluster, 'status'), SETTLED)
          .toMatchObject({ waiting: 0, sent: [] });
        for (const { process: child } of members) child.kill('SIGTERM');
        await Promise.all(members.map(({ process: child }) => ended(child)));
        const statuses = await statusesAt(members[0]);
        const ends = ids.map((id) => `${id}: ${statuses[id]}, called ${counter.counts.get(id) ?? 0} times`);
        const wrong = ids.filter((id) => statuses[id] !== 'done').map((id) => resultAt(members[0], id));
        expect(ends, wrong.join('\n')).toEqual(ids.map((id) => `${id}: done, called 1 times`));
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

/** The command itself waits for space, too: one that fails because it cannot write has failed. */
const taskText = (id: string, { url }: Counter): string =>
  `# Count ${id}\n\n\`\`\`bash net:${url.slice('http://'.length)}
sleep 0.4
counted=$(curl -fsS -X POST ${url}/${id})
until echo "$counted" > counted.txt; do sleep 0.2; done
sleep 0.4
\`\`\`
`;

function openMember(root: string, name: string, cluster: NatsCluster, counter: Counter): Member {
  const home = homeAt(join(root, name));
  setUp(home);
  const rule = `rules:\n  - { effect: allow, host: '${counter.url.slice('http://'.length)}' }`;
  writeFileSync(home.policy, readFileSync(home.policy, 'utf8').replace('rules: []', rule));
  return { home, name, process: startWorker(home, name, cluster) };
}

type Compared = { run: string; verdict: string };

const isOther = ({ verdict }: Compared): boolean => verdict !== 'same';

/** The last messages of a run are on their way for a moment after its result has arrived. */
const SETTLED = { timeout: 120_000 + 600 * TASK_COUNT, interval: 500 };

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

function powerCuts(wanted: number): number {
  const problem = wanted === 0 ? null : powerDiskProblem();
  if (problem !== null) console.warn(`SKIPPED: power cuts of the servers: ${problem}`);
  return problem === null ? wanted : 0;
}

async function disturbServers(cluster: NatsCluster): Promise<void> {
  for (let round = 0; round < SERVER_KILLS; round += 1) await restartAll(cluster);
  for (let round = 0; round < SILENCES; round += 1) await silence(cluster, round % cluster.size, PAUSE_MS);
  for (let round = 0; round < POWER_CUTS; round += 1) {
    await cluster.cutPower();
    await sleep(3000);
  }
  for (let round = 0; round < PARTITIONS; round += 1)
    await cluster.isolate((await cluster.leaderOf(RUNS)) ?? round % cluster.size, PARTITION_MS);
  if (DAMAGES > 0) await damageServer(cluster, cluster.size - 1, DAMAGES);
}

/** Kills and pauses workers and kills a leader, spread over the work. */
async function disturb(members: Member[], cluster: NatsCluster, counter: Counter): Promise<void> {
  const paused: Promise<void>[] = [];
  const rounds = Math.max(KILLS, PAUSES, LEADER_KILLS);
  const begun = counter.counts.size;
  for (let round = 0; round < rounds; round += 1) {
    await untilCounted(counter, begun + ((TASK_COUNT - begun) * round) / rounds);
    const killed = members[round % members.length];
    const other = members[(round + 1) % members.length];
    if (round < PAUSES && other !== undefined) paused.push(pause(other.process));
    if (round < KILLS && killed !== undefined) {
      killed.process.kill('SIGKILL');
      await ended(killed.process);
      killed.process = startWorker(killed.home, killed.name, cluster);
    }
    if (Math.ceil((round * LEADER_KILLS) / rounds) < Math.ceil(((round + 1) * LEADER_KILLS) / rounds))
      await restartLeader(cluster, RUNS);
    await sleep(3000);
  }
  await Promise.all(paused);
}

/** Waits for so many calls, but not for long: the ones that are left may all wait for a person. */
async function untilCounted({ counts }: Counter, count: number): Promise<void> {
  for (let tries = 0; counts.size < count && tries < 300; tries += 1) await sleep(100);
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

/**
 * A person who checks whether a call in doubt has happened, and answers at the home that asks: not before everybody else
 * knows that the call is not theirs any more, since one that was paused may still finish it. A question that is open for
 * longer, or again, is answered again: the run may have moved in between.
 */
function answerQuestions(members: readonly Member[], counter: Counter): Person {
  const since = new Map<string, number>();
  const ending = new AbortController();
  let asked = 0;
  const check = async (member: Member): Promise<void> => {
    const open = openQuestions(member.home);
    for (const { run, wait } of open) {
      const task = run.split('.')[0] ?? '';
      const key = `${member.name} ${wait}`;
      if (await isClaimedElsewhere(task, member, members)) continue;
      if (!since.has(key)) since.set(key, performance.now());
      if (performance.now() - (since.get(key) ?? 0) < PATIENCE_MS) continue;
      since.delete(key);
      asked += 1;
      const text = counter.counts.has(task) ? 'done' : 'repeat';
      submit(join(member.home.oka, 'intake'), { kind: 'answer', wait, answer: { verdict: 'answered', text } });
    }
    for (const key of since.keys())
      if (key.startsWith(`${member.name} `) && !open.some(({ wait }) => key === `${member.name} ${wait}`))
        since.delete(key);
  };
  const watching = (async () => {
    while (!ending.signal.aborted) {
      for (const member of members) await check(member);
      await sleep(500);
    }
  })();
  return {
    asked: () => asked,
    stop: () => {
      ending.abort();
      return watching;
    },
  };
}

type Person = { stop: () => Promise<void>; asked: () => number };

/** Whether another home has claimed the run, and has not recorded yet that it has lost it. */
async function isClaimedElsewhere(task: string, here: Member, members: readonly Member[]): Promise<boolean> {
  for (const { home } of members.filter((member) => member !== here)) {
    let isClaimed = false;
    for await (const { type, run } of readEvents(home.ledgers.run)) {
      if (run === task && type === 'run.claimed') isClaimed = true;
      if (run === task && type === 'run.fenced') isClaimed = false;
    }
    if (isClaimed) return true;
  }
  return false;
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
  for (let tries = 0; tries < 1200 + 4 * TASK_COUNT; tries += 1) {
    const statuses = tries % 4 === 0 ? await statusesAt(member) : {};
    if (ids.every((id) => existsSync(fileOf(id)) && id in statuses)) return;
    await sleep(500);
  }
  throw new Error(`no result after ten minutes: ${ids.filter((id) => !existsSync(fileOf(id))).join(', ')}`);
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
