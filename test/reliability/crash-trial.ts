/**
 * Kills of four kinds and full disks while tasks run, with an observer outside. A round is over when every task has its
 * result; then the results are compared with the desk, and some tasks are undone.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { crashTask, type CrashTask, deskFiles, didHappen, isDone, judgeResult, overlapsNoted } from './crash-tasks.ts';
import { type DeskObserver, observeDesk } from './desk-observer.ts';
import { LiveHome } from './live-home.ts';
import { hit, KINDS, restart, untilCommandRuns } from './kills.ts';
import type { Random, Trial, TrialCall, TrialReport } from './trial.ts';

const TASKS = 70;
const KILLS = 200;
const FILLS = 20;
const DISK_MB = 96;
/** With less time left no further round begins. */
const ROUND_MS = 180_000;
const FILL_CHANCE = 0.2;
/** Where what explains a failure is kept. */
const EVIDENCE = join(import.meta.dirname, '../../test-artifacts/reliability');

/** After the last fault everything has to come to its end within this time. */
const QUIET_MS = 600_000;

export const crashTrial: Trial = {
  name: 'Kills and full disks',
  about: `Rounds of ${TASKS} tasks with steps that write. At random moments SIGKILL hits the worker, the worker and its supervisor (launchers and their commands live on), launchers, or all of them at once (processes that a command left in the background live on), up to ${KILLS} times a round; up to ${FILLS} times the disk is filled to the last byte for a second or two. An observer that reads /proc counts whose steps run at the same time. In the end every task must have a result; "done" must mean that its output is there; the files that a result lists must be those the task wrote; no step may have run twice; undoing a task must change that task's files only; the ledger must be intact.`,
  share: 50,
  run: async (call) => {
    const report: TrialReport = { counts: {}, failures: [] };
    for (let round = 0; round === 0 || Date.now() < call.until - ROUND_MS; round += 1)
      await playRound(call, round, report);
    return report;
  },
};

type Round = {
  live: LiveHome;
  tasks: CrashTask[];
  /** How often a person said that a step be repeated, by task and step. */
  repeats: Map<string, number>;
  count: (what: string, by?: number) => void;
  fail: (text: string) => void;
};

async function playRound({ until, random, log }: TrialCall, number: number, report: TrialReport): Promise<void> {
  await using live = new LiveHome({ diskMb: DISK_MB });
  if (!live.hasSmallDisk) report.skipped = 'FULL DISKS WERE NOT TRIED: mounting a small disk needs root.';
  const prefix = String.fromCharCode(97 + (number % 26));
  const tasks = Array.from({ length: TASKS }, (_, index) =>
    crashTask(`${prefix}${String(index).padStart(4, '0')}`, random),
  );
  const round: Round = {
    live,
    tasks,
    repeats: new Map(),
    count: (what, by = 1) => void (report.counts[what] = (report.counts[what] ?? 0) + by),
    fail: (text) => void report.failures.push(`round ${number + 1}: ${text}`),
  };
  const observer = observeDesk(live.desk(''));
  for (const { id, text } of tasks) live.drop(`${id}.md`, text);
  live.start();
  await hurt(round, random, until);
  log(`round ${number + 1}: no more faults; waiting for the results`);
  await settle(round);
  await observer.stop();
  await judge(round, observer, random);
  round.count('rounds');
}

async function hurt(round: Round, random: Random, until: number): Promise<void> {
  const { live, tasks, count } = round;
  for (let kills = 0, fills = 0; kills < KILLS && Date.now() < until && !isOver(live, tasks); ) {
    await sleep(random.between(0, 600));
    if (live.hasSmallDisk && fills < FILLS && random.chance(FILL_CHANCE)) {
      live.fill();
      fills += 1;
      count('times the disk was full');
      await sleep(random.between(200, 2500));
      live.free();
      continue;
    }
    const kind = random.pick(KINDS);
    await restart(live, 0);
    if (kind.includes('launcher') || random.chance(0.4)) await untilCommandRuns(live, random);
    if (!hit(live, kind)) continue;
    kills += 1;
    count(`kills of ${kind}`);
    if (kind === 'worker' && random.chance(0.5))
      await sleep(1500); // the supervisor starts the next one
    else await restart(live, random.between(0, 400));
    await answer(round);
  }
}

const isOver = (live: LiveHome, tasks: readonly CrashTask[]): boolean =>
  tasks.every(({ id }) => {
    const page = live.page(id);
    return page !== null && !page.includes('**⏸️ Blocked');
  });

async function settle(round: Round): Promise<void> {
  const { live, tasks } = round;
  for (const end = Date.now() + QUIET_MS; Date.now() < end && !isOver(live, tasks); await sleep(1000)) {
    await restart(live, 0);
    await answer(round);
  }
}

/** A person who is asked whether a step happened checks the desk, as the question says. */
async function answer({ live, repeats, count }: Round): Promise<void> {
  const questions = await live.questions().catch(() => []);
  for (const { wait, text } of questions) {
    const [, id = '', step = ''] = /^([a-z]\d{4}).*?Step (\d)/s.exec(`${wait} ${text}`) ?? [];
    if (id === '') continue;
    const reply = didHappen(live, id, Number(step)) ? 'done' : 'repeat';
    const { code } = await live.oka('answer', wait, reply).catch(() => ({ code: 1 }));
    if (code !== 0) continue;
    if (reply === 'repeat') repeats.set(`${id}/${step}`, (repeats.get(`${id}/${step}`) ?? 0) + 1);
    count(`questions answered with ${reply}`);
  }
}

/** The page and the events of a task whose result is wrong, since its home goes with the round. */
function keepEvidence(live: LiveHome, { id }: CrashTask): void {
  mkdirSync(EVIDENCE, { recursive: true });
  const lines = readFileSync(live.home.ledgers.run, 'utf8').split('\n');
  writeFileSync(join(EVIDENCE, `${id}.jsonl`), lines.filter((line) => line.includes(id)).join('\n'));
  writeFileSync(join(EVIDENCE, `${id}.md`), live.page(id) ?? 'no page');
}

async function judge(round: Round, observer: DeskObserver, random: Random): Promise<void> {
  const { live, tasks, repeats, count, fail } = round;
  for (const task of tasks) {
    count('tasks');
    count(isDone(live, task) ? 'tasks done' : 'tasks not done, with a true result');
    const problems = judgeResult(live, task, repeats);
    for (const problem of problems) fail(problem);
    if (problems.length > 0) keepEvidence(live, task);
  }
  for (const pair of observer.overlaps()) fail(`seen from outside: steps of ${pair} ran at the same time`);
  for (const overlap of overlapsNoted(live, tasks)) fail(`noted by the steps: ${overlap}`);
  const { taken, busy } = observer.samples();
  count('observations of the desk', taken);
  count('observations with a step at work', busy);
  await live.stop();
  const done = tasks.filter((task) => isDone(live, task));
  for (const task of done.slice(0, 3 + random.below(3))) await undoAlone(round, task);
  const verdict = await verifyLedger(live.home.ledgers.run);
  if (verdict.state !== 'intact') fail(`the ledger is ${verdict.state}`);
}

async function undoAlone({ live, count, fail }: Round, { id }: CrashTask): Promise<void> {
  const before = deskFiles(live);
  const { code, err } = await live.oka('undo', id);
  count('tasks undone');
  if (code !== 0) fail(`undo of ${id} ended with ${code}: ${err.trim()}`);
  const after = deskFiles(live);
  for (const [path, text] of before)
    if (path.startsWith(`${id}/`) ? after.has(path) : after.get(path) !== text) fail(`undo of ${id}: ${path} is wrong`);
}
