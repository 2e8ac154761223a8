/** Real workers of several homes that share one inbox: what a task costs, and how soon another one goes on after a kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { NatsCluster } from '../../test/support/nats-cluster.ts';
import { machineBusyMs, processCpuMs, treeCpuMs } from './process-times.ts';

export const ACK_SECONDS = 3;
const MOST_SECONDS = 240;

/** Processor time is per task. */
export type HomesTimes = {
  workers: number;
  perSecond: number;
  workerCpuMs: number;
  serverCpuMs: number;
  /** What the home that gave the tasks used more than another one: giving them away, and storing their results. */
  submitCpuMs: number;
  /** How many cores others used meanwhile: a figure from a busy machine says so. */
  otherCores: number;
};

type Member = { home: Home; name: string; child: ChildProcess };

/** From the first task that was given to the fleet to the last result at the home that gave them. */
export async function runHomes(cluster: NatsCluster, workers: number, tasks: number): Promise<HomesTimes> {
  await using homes = await startHomes(cluster, workers);
  const [first] = homes.members;
  if (first === undefined) throw new Error('a fleet has at least one worker');
  const before = readTimes(homes.members);
  const memberCpu = (): number[] => homes.members.map(({ child }) => processCpuMs(child.pid ?? 0));
  const cpuBefore = memberCpu();
  for (let index = 0; index < tasks; index += 1) addTrivial(first, `${first.name}-${index}`, 'true');
  await until(
    () => resultsAt(first) === tasks,
    () => `${resultsAt(first)} of ${tasks} results after a while`,
  );
  const after = readTimes(homes.members);
  const wallMs = after.at - before.at;
  const workerMs = after.worker - before.worker;
  const serverMs = after.server - before.server;
  const [submitter = 0, ...others] = memberCpu().map((ms, index) => ms - (cpuBefore[index] ?? 0));
  const another = others.reduce((sum, ms) => sum + ms, 0) / Math.max(1, others.length);
  const otherMs = Math.max(0, after.machine - before.machine - workerMs - serverMs);
  return {
    workers,
    perSecond: tasks / (await secondsOfWork(first)),
    workerCpuMs: workerMs / tasks,
    serverCpuMs: serverMs / tasks,
    submitCpuMs: others.length === 0 ? 0 : Math.max(0, submitter - another) / tasks,
    otherCores: otherMs / wallMs,
  };
}

/** Milliseconds from the kill of a worker to the claim of another one, and to its first own event of that run. */
export type Takeover = { claimedMs: number; continuedMs: number };

export async function runTakeover(cluster: NatsCluster): Promise<Takeover> {
  await using homes = await startHomes(cluster, 2);
  const [first] = homes.members;
  if (first === undefined) throw new Error('a fleet has at least one worker');
  const run = `${first.name}-taken-over`;
  addTrivial(first, run, 'sleep 5');
  let owner: Member | undefined;
  await until(
    async () => {
      owner = await ownerOf(homes.members, run);
      return owner !== undefined;
    },
    () => 'nobody has begun the task',
  );
  owner?.child.kill('SIGKILL');
  const killedAt = Date.now();
  const other = homes.members.find((member) => member !== owner);
  let times: number[] = [];
  await until(
    async () => {
      times = other === undefined ? [] : await timesAfterClaim(other, run);
      return times.length > 1;
    },
    () => 'nobody has taken over',
  );
  const [claimed = Number.NaN, continued = Number.NaN] = times;
  return { claimedMs: claimed - killedAt, continuedMs: continued - killedAt };
}

async function ownerOf(members: readonly Member[], task: string): Promise<Member | undefined> {
  for (const member of members)
    for await (const { type, run, data } of readEvents(member.home.ledgers.run))
      if (type === 'call.started' && run?.startsWith(task) === true && data.tool === 'shell') return member;
  return undefined;
}

/** When the claim was recorded, and the first event after the copies of what was taken over. */
async function timesAfterClaim({ home }: Member, task: string): Promise<number[]> {
  const times: number[] = [];
  let copies = Number.POSITIVE_INFINITY;
  for await (const { type, run, at, data } of readEvents(home.ledgers.run)) {
    if (run !== task && run?.startsWith(`${task}.`) !== true) continue;
    if (type === 'run.claimed') {
      times.push(Date.parse(at));
      copies = data.from?.copied ?? 0;
    } else if (copies > 0) copies -= 1;
    else times.push(Date.parse(at));
  }
  return times;
}

type Homes = { members: Member[]; [Symbol.asyncDispose](): Promise<void> };

async function startHomes(cluster: NatsCluster, count: number): Promise<Homes> {
  const root = mkdtempSync(join(tmpdir(), 'oka-bench-fleet-'));
  const members = Array.from({ length: count }, (_, index) => openMember(root, `h${index}`, cluster));
  const stop = async (): Promise<void> => {
    for (const { child } of members) child.kill('SIGKILL');
    await Promise.all(members.map(({ child }) => untilEnded(child)));
    rmSync(root, { recursive: true, force: true, maxRetries: 20 });
  };
  try {
    await Promise.all(members.map(({ child }) => untilMember(child)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { members, [Symbol.asyncDispose]: stop };
}

function openMember(root: string, name: string, { url, monitors }: NatsCluster): Member {
  const home = homeAt(join(root, name));
  setUp(home);
  const member = `${name}-${Date.now()}`; // in a fleet that has seen others before
  writeFileSync(home.config, JSON.stringify({ inbox: { parallel: 1 } })); // a worker has one task in hand
  const program = join(import.meta.dirname, '../../test/support/fleet-home-child.ts');
  const variables = { OKA_FLEET: url, OKA_FLEET_MONITOR: monitors, OKA_FLEET_NAME: member };
  const env = { ...process.env, ...variables, OKA_FLEET_ACK_SECONDS: `${ACK_SECONDS}` };
  return {
    home,
    name: member,
    child: spawn(process.execPath, [program, home.dir], { env, stdio: ['ignore', 'pipe', 2] }),
  };
}

function untilMember(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once('exit', (code) => reject(new Error(`a worker ended with ${code} before it was a member`)));
  child.stdout?.on('data', (text: Buffer) => {
    if (text.includes('member of the fleet as')) resolve();
  });
  return promise;
}

async function untilEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}

function addTrivial({ home }: Member, id: string, command: string): void {
  const text = `# One step\n\n\`\`\`bash\n${command}\n\`\`\`\n`;
  addTask(join(home.workspace, 'inbox'), { text, fields: { id } });
}

function resultsAt({ home }: Member): number {
  const outbox = join(home.workspace, 'outbox');
  return readdirSync(outbox).filter((run) => existsSync(join(outbox, run, 'RESULT.md'))).length;
}

async function secondsOfWork({ home }: Member): Promise<number> {
  const times: number[] = [];
  for await (const { type, at } of readEvents(home.ledgers.run))
    if (type === 'task.sent' || type === 'task.returned') times.push(Date.parse(at));
  return ((times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)) / 1000;
}

type Times = { at: number; worker: number; server: number; machine: number };

const readTimes = (members: readonly Member[]): Times => ({
  at: performance.now(),
  worker: members.reduce((sum, { child }) => sum + processCpuMs(child.pid ?? 0), 0),
  server: treeCpuMs('nats-server'),
  machine: machineBusyMs(),
});

async function until(check: () => boolean | Promise<boolean>, problem: () => string): Promise<void> {
  const began = performance.now();
  while (!(await check())) {
    if (performance.now() - began > MOST_SECONDS * 1000) throw new Error(problem());
    await sleep(100);
  }
}
