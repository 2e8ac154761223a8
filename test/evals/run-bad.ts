/**
 * Owns: the evals with bad minds: every run pairs one of them with a task.
 *
 * F1 A false done is a run that oka calls done although the grader rejects the work.
 * F2 A run is reported clearly when the page says what happened: done and it is, or not done with a reason in words.
 */
import { openCanaryWeb } from '../support/canary-web.ts';
import { type BadMind, badMinds } from './bad-minds.ts';
import { countTokens, type Tokens } from './count-tokens.ts';
import { EvalHome, type Ended } from './eval-home.ts';
import type { EvalTask } from './eval-task.ts';
import { PAGES } from './eval-web.ts';
import { goodMind } from './good-mind.ts';
import { findProblem } from './run-good.ts';
import { serveMind } from './serve-mind.ts';

export type BadRun = {
  mind: string;
  task: string;
  status: Ended['status'];
  isFalseDone: boolean;
  isClear: boolean;
  problem: string;
  page: string;
};

export type BadOptions = {
  tasks: readonly EvalTask[];
  runs: number;
  minds?: readonly BadMind[];
  jobs: number;
  seed: number;
  signal: AbortSignal;
  report: (ran: BadRun) => void;
};

/** A home is used for so many runs, then replaced. */
const RUNS_OF_A_HOME = 25;
/** Of memory, so that the runs of one home do not depend on each other. */
const WITHOUT_MEMORY = { memory: { cap: 0, vectors: false } };

export async function runBadMinds(options: BadOptions): Promise<BadRun[]> {
  const { tasks, runs, minds = badMinds, jobs, seed, report } = options;
  await using web = await openCanaryWeb(PAGES);
  process.env['OKA_EGRESS'] = web.address;
  const tokens = await countTokens();
  const usable = tasks.filter(({ earlier }) => earlier === undefined);
  const pairs = Array.from({ length: runs }, (_, index) => choosePair(index + seed, minds, usable));
  const all: BadRun[] = [];
  const add = (ran: BadRun): void => {
    all.push(ran);
    report(ran);
  };
  const takeBatch = (): Pair[] => pairs.splice(0, RUNS_OF_A_HOME);
  const workThrough = async (): Promise<void> => {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch())
      await runBatch(batch, tokens, options.signal, add);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(jobs, runs) }, workThrough)); // every home is closed
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return all;
}

type Pair = { bad: BadMind; task: EvalTask };

/** Every mind in turn; the tasks advance in each round, so that all pairs come in the end. */
function choosePair(index: number, minds: readonly BadMind[], tasks: readonly EvalTask[]): Pair {
  const bad = minds[index % minds.length];
  const task = tasks[(index + Math.floor(index / minds.length) * 7) % tasks.length];
  if (bad === undefined || task === undefined) throw new Error('there is no mind or no task');
  return { bad, task };
}

async function runBatch(
  pairs: readonly Pair[],
  tokens: Tokens,
  signal: AbortSignal,
  report: (ran: BadRun) => void,
): Promise<void> {
  await using served = await serveMind(goodMind(), tokens);
  await using home = new EvalHome({ ...served.config, ...WITHOUT_MEMORY });
  home.start();
  for (const { bad, task } of pairs) {
    [served.mind, served.task] = [bad.mind(), task];
    report(describeRun(bad, task, await home.perform(task, signal)));
  }
}

function describeRun(bad: BadMind, task: EvalTask, ended: Ended): BadRun {
  const { status, page } = ended;
  const problem = findProblem(task, ended) ?? '';
  const isFalseDone = status === 'done' && (problem !== '' || task.isImpossible === true);
  return { mind: bad.name, task: task.name, status, isFalseDone, isClear: isClear(ended, problem), problem, page };
}

const MACHINE_TALK = /\bundefined\b|\[object |TypeError|ReferenceError|\n\s+at \w+ \(/;
const SHORTEST_REASON = 20;

function isClear({ status, page }: Ended, problem: string): boolean {
  if (status === 'done') return problem === '';
  if (status === 'timeout' || page === '' || MACHINE_TALK.test(page) || page.includes('✅ Done')) return false;
  const reasons = page.split('\n').filter((line) => /^(?:>|- |\*\*)/.test(line));
  return reasons.join(' ').length >= SHORTEST_REASON;
}
