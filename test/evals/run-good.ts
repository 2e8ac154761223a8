/**
 * Owns: the evals with a mind that tries to do well: all tasks one after another in one home, and all of it repeated.
 *
 * R1 A task counts as right when every repetition is right: the grader accepts it and nothing else on the desk changed.
 * R2 It counts as accepted when oka's verdict was right every time, too.
 */
import type { Json } from '../../src/core/schema/json.ts';
import { openCanaryWeb } from '../support/canary-web.ts';
import { countTokens } from './count-tokens.ts';
import { EvalHome, type Ended } from './eval-home.ts';
import type { EvalTask } from './eval-task.ts';
import { PAGES } from './eval-web.ts';
import type { Mind } from './good-mind.ts';
import { emptyTurnsIn, type RoleCosts, spentBy } from './role-costs.ts';
import { noPrompts, type Prompts, serveMind } from './serve-mind.ts';

export type TaskRun = {
  task: string;
  right: boolean;
  done: boolean;
  /** Whether oka said done of a task that can be done, and not done of one that cannot. */
  accepted: boolean;
  problem: string;
  costs: RoleCosts;
  /** Requests whose answers did nothing. */
  emptyTurns: number;
  /** None where the mind is a model. */
  prompts: Prompts;
  page: string;
};

export type GoodOptions = {
  tasks: readonly EvalTask[];
  repeats: number;
  /** Makes a mind; null: the model that the environment names. */
  mind: (() => Mind) | null;
  signal: AbortSignal;
  report: (ran: TaskRun) => void;
};

export async function runGoodMind({ tasks, repeats, mind, signal, report }: GoodOptions): Promise<TaskRun[]> {
  await using web = await openCanaryWeb(PAGES);
  process.env['OKA_EGRESS'] = web.address;
  const all: TaskRun[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    await using model = await openModel(mind);
    await using home = new EvalHome(model.config);
    home.start();
    for (const task of tasks) {
      const ran = await runTask(home, task, model, signal);
      report(ran);
      all.push(ran);
    }
  }
  return all;
}

type Model = {
  config: { [key: string]: Json };
  /** Says which task the mind works on. */
  use: (task: EvalTask) => void;
  prompts: () => Prompts;
  [Symbol.asyncDispose](): Promise<void>;
};

async function openModel(mind: GoodOptions['mind']): Promise<Model> {
  if (mind === null)
    return {
      config: {},
      use: () => undefined,
      prompts: noPrompts,
      [Symbol.asyncDispose]: async () => undefined,
    };
  const served = await serveMind(mind(), await countTokens());
  const use = (task: EvalTask): void => {
    served.task = task;
    served.prompts = noPrompts();
  };
  return {
    config: served.config,
    use,
    prompts: () => served.prompts,
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

/** The days before and the task itself; the costs are those of the task. */
async function runTask(
  home: EvalHome,
  task: EvalTask,
  { use, prompts }: Pick<Model, 'use' | 'prompts'>,
  signal: AbortSignal,
): Promise<TaskRun> {
  for (const earlier of task.earlier ?? []) {
    use(earlier);
    await home.perform(earlier, signal);
    await home.passDay();
  }
  use(task);
  const ended = await home.perform(task, signal);
  const problem = findProblem(task, ended);
  const done = ended.status === 'done';
  return {
    task: task.name,
    right: problem === null,
    done,
    accepted: done !== (task.isImpossible === true),
    problem: problem ?? '',
    costs: spentBy(ended.events),
    emptyTurns: emptyTurnsIn(ended.events),
    prompts: prompts(),
    page: ended.page,
  };
}

/** What is wrong with the work, whatever oka says about it. */
export function findProblem(task: EvalTask, ended: Ended): string | null {
  if (ended.strays.length > 0) return `it changed ${ended.strays.join(', ')}`;
  return task.grade(ended);
}
