/** What the evals print: the figures as JSON, and the same with more detail for people. */
import type { BadRun } from './run-bad.ts';
import type { TaskRun } from './run-good.ts';
import { totalCosts } from './role-costs.ts';

export type BadFigures = { runs: number; false_done: number; reported_clearly: number };
export type GoodFigures = {
  tasks: number;
  right: number;
  right_accepted: number;
  /** Of one pass over all tasks. */
  calls: number;
  prompt_tokens: number;
};

/** What a million tokens of a prompt and of an answer are taken to cost, where the provider reports no price. */
const USD_PER_MILLION = { prompt: 3, answer: 15 };

export function badFigures(all: readonly BadRun[]): BadFigures {
  return {
    runs: all.length,
    false_done: all.filter(({ isFalseDone }) => isFalseDone).length,
    reported_clearly: all.filter(({ isClear }) => isClear).length,
  };
}

export function goodFigures(all: readonly TaskRun[]): GoodFigures {
  const tasks = [...Map.groupBy(all, ({ task }) => task).values()];
  const passes = Math.max(1, all.length / Math.max(1, tasks.length));
  const { total } = totalCosts(all.map(({ costs }) => costs));
  return {
    tasks: tasks.length,
    right: tasks.filter((runs) => runs.every(({ right }) => right)).length,
    right_accepted: tasks.filter((runs) => runs.every(({ right, accepted }) => right && accepted)).length,
    calls: Math.round(total.calls / passes),
    prompt_tokens: Math.round(total.promptTokens / passes),
  };
}

export function badReport(all: readonly BadRun[]): string {
  const { runs, false_done, reported_clearly } = badFigures(all);
  const list = all
    .filter(({ isFalseDone }) => isFalseDone)
    .map(({ mind, task, problem }) => `  ${mind}, ${task}: ${problem}`);
  const byMind = Map.groupBy(all, ({ mind }) => mind);
  return [
    `${runs} runs of ${byMind.size} minds: ${false_done} called done although the work was wrong, ${reported_clearly} reported clearly.`,
    ...(list.length === 0
      ? []
      : [...byMind].map(
          ([mind, of]) => `  ${mind}: ${of.filter(({ isFalseDone }) => isFalseDone).length} of ${of.length}`,
        )),
    ...(list.length === 0 ? [] : ['False done:', ...list]),
  ].join('\n');
}

export function goodReport(all: readonly TaskRun[]): string {
  const figures = goodFigures(all);
  const { roles, total } = totalCosts(all.map(({ costs }) => costs));
  const said = all.filter(({ done }) => done);
  const right = all.filter((ran) => ran.right);
  const rows = [...Object.entries(roles), ['all', total] as const].map(
    ([role, { calls, promptTokens, answerTokens, usd }]) => {
      const cost =
        usd > 0 ? usd : (promptTokens * USD_PER_MILLION.prompt + answerTokens * USD_PER_MILLION.answer) / 1e6;
      const per = (value: number, digits = 0): string => (value / Math.max(1, all.length)).toFixed(digits).padStart(9);
      return `${role.padEnd(10)}${per(calls, 1)}${per(promptTokens)}${per(answerTokens)}${per(cost, 4)}`;
    },
  );
  return [
    `${figures.tasks} tasks: ${figures.right} right every time, ${figures.right_accepted} of them with the right verdict every time.`,
    `Precision (said done, and it was): ${share(said.filter((ran) => ran.right).length, said.length)}. Recall (right, and the verdict was): ${share(right.filter(({ accepted }) => accepted).length, right.length)}.`,
    'Each task:    calls   prompt   answer      USD',
    ...rows,
    ...requestLines(all),
    ...cacheLines(all),
  ].join('\n');
}

const requestsOf = ({ costs }: TaskRun): number => Object.values(costs).reduce((calls, each) => calls + each.calls, 0);

/** A task that was planned once and that one worker did. */
const isPlain = ({ costs }: TaskRun): boolean => costs['planner']?.calls === 1 && costs['critic'] !== undefined;

export function requestFigures(all: readonly TaskRun[]): { plain: number; mean: number; empty: number } {
  const plain = all.filter(isPlain);
  const requests = plain.reduce((sum, ran) => sum + requestsOf(ran), 0);
  return {
    plain: plain.length,
    mean: requests / Math.max(1, plain.length),
    empty: all.reduce((sum, { emptyTurns }) => sum + emptyTurns, 0),
  };
}

function requestLines(all: readonly TaskRun[]): string[] {
  const { plain, mean, empty } = requestFigures(all);
  const untraced = all.map(({ prompts }) => untracedIn(prompts));
  const values = untraced.reduce((sum, count) => sum + count, 0);
  return [
    `Requests of the ${plain} runs with one plan and one worker: ${mean.toFixed(2)} on the mean. Empty turns in ${all.length} runs: ${empty}.`,
    `Values that critics were told are in no input: ${values}, in ${untraced.filter((count) => count > 0).length} runs.`,
  ];
}

/** How many values the last critic was told are in no input. */
function untracedIn({ asked }: TaskRun['prompts']): number {
  const last = asked.findLast(({ role }) => role === 'critic')?.text ?? '';
  const lists = [...last.matchAll(/: (?:[^\n]*; )?in no input: ([^\n]*)/g)];
  return lists.reduce((sum, [, list = '']) => sum + list.split(', ').length, 0);
}

/** The prompts of a task by role, as a table for documents: how many, and how many tokens each on the mean. */
export function promptTable(all: readonly TaskRun[]): string {
  const cell = (ran: TaskRun, role: string): string => {
    const own = ran.prompts.asked.filter((each) => each.role === role);
    const tokens = own.reduce((sum, each) => sum + each.tokens, 0);
    return own.length === 0 ? '0' : `${own.length} × ${Math.round(tokens / own.length)}`;
  };
  const rows = all.map(
    (ran) =>
      `| ${[ran.task, ...['planner', 'executor', 'critic'].map((role) => cell(ran, role)), ran.prompts.tokens].join(' | ')} |`,
  );
  return ['| task | planner | executor | critic | all |', '|---|---|---|---|---|', ...rows].join('\n');
}

/** The share of prompt tokens that a cache could have served: those with which an earlier prompt had begun. */
function cacheLines(all: readonly TaskRun[]): string[] {
  const sum = (runs: readonly TaskRun[], field: 'tokens' | 'seen'): number =>
    runs.reduce((total, { prompts }) => total + prompts[field], 0);
  if (sum(all, 'tokens') === 0) return [];
  const four = all.filter((ran) => requestsOf(ran) === 4);
  const of = (runs: readonly TaskRun[]): string => share(sum(runs, 'seen'), sum(runs, 'tokens'));
  return [`A cache could have served ${of(all)} of the prompt tokens; of tasks with four requests ${of(four)}.`];
}

const share = (part: number, whole: number): string =>
  whole === 0 ? 'none' : `${((100 * part) / whole).toFixed(1)} %`;
