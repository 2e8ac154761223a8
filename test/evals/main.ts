/** `npm run evals`: runs prose tasks in real homes with one of three minds, and prints how right oka's verdicts were. */
import '../support/rooms-of-product.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/core/schema/errors.ts';
import useUserPlaces from '../support/user-places.ts';
import { badFigures, badReport, goodFigures, goodReport, promptTable, requestFigures } from './eval-report.ts';
import { loadTasks } from './eval-task.ts';
import { goodMind } from './good-mind.ts';
import { runBadMinds } from './run-bad.ts';
import { runGoodMind, type TaskRun } from './run-good.ts';
import { readOwnTasks, runOwnTasks } from './run-own.ts';

const HELP = `npm run evals -- [--mind good|bad|lax|env] [options]

  --mind good     a scripted mind that does every task well (the default)
  --mind bad      the population of bad minds: none of them may be called done
  --mind lax      plausible wrong work, found right by a critic who quotes lines that are there: how much of it is called done
  --mind env      the model that the environment names: OKA_MODEL, OKA_MODEL_URL, OKA_MODEL_KEY
  --runs N        how many runs of bad minds (200), or how often every task is repeated (3)
  --only TEXT     only tasks (of bad minds: minds) with this text in their name; several with commas between
  --prompts DIR   write every prompt of the good mind into this folder, and print their sizes
  --jobs N        how many homes of bad minds at once (4)
  --seed N        which pairs of minds and tasks come first (0)
  --tasks DIR     your own tasks instead: a folder of folders with a TASK.md, done with the model that is configured
  --grade CMD     with --tasks: called with the name of the task and the folder with its results; exit 0 means right
  --json          the figures as one line of JSON
  --help          this text

Exit status: 0 all right, 1 a verdict or a piece of work was wrong, or a request did nothing, 2 wrong usage, 130 interrupted.
`;

const OPTIONS = {
  mind: { type: 'string', default: 'good' },
  runs: { type: 'string' },
  only: { type: 'string', default: '' },
  jobs: { type: 'string', default: '4' },
  seed: { type: 'string', default: '0' },
  prompts: { type: 'string' },
  tasks: { type: 'string' },
  grade: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

class UsageError extends Error {}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
const removeUserPlaces = useUserPlaces();
process.exitCode = await main().catch((error: unknown) => {
  if (stop.signal.aborted) return 130;
  process.stderr.write(`evals: ${messageOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
});
removeUserPlaces();
process.exit();

async function main(): Promise<number> {
  const values = parseOptions();
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (values.tasks !== undefined || values.grade !== undefined) return runOwn(values);
  switch (values.mind) {
    case 'bad':
    case 'lax':
      return runBad(values);
    case 'good':
      return runGood(values);
    case 'env':
      if ((process.env['OKA_MODEL'] ?? '') === '')
        throw new UsageError('set OKA_MODEL, such as custom:name with OKA_MODEL_URL');
      return runGood(values);
    default:
      throw new UsageError(`there is no mind "${values.mind}"; there is: good, bad, lax, env`);
  }
}

type Values = ReturnType<typeof parseOptions>;

function parseOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function readCount(name: string, text: string, least = 1): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < least)
    throw new UsageError(`--${name} needs a whole number from ${least} on`);
  return count;
}

async function runBad({ mind: which, runs = '200', only, jobs, seed, json }: Values): Promise<number> {
  const { badMinds, laxMinds } = await import('./bad-minds.ts');
  const isLax = which === 'lax';
  const count = readCount('runs', runs);
  let number = 0;
  const all = await runBadMinds({
    tasks: await loadTasks(),
    minds: (isLax ? laxMinds : badMinds).filter(({ name }) => isWanted(name, only)),
    runs: count,
    jobs: readCount('jobs', jobs),
    seed: readCount('seed', seed, 0),
    signal: stop.signal,
    report: ({ mind, task, status, isFalseDone, isClear, problem, page }) => {
      number += 1;
      const mark = isFalseDone ? `FALSE DONE (${problem})` : isClear ? status : `${status}, not reported clearly`;
      note(`${number}/${count} ${mind}, ${task}: ${mark}`);
      if (!isLax && (isFalseDone || !isClear)) note(page.slice(0, 1500).replaceAll(/^/gm, '    '));
    },
  });
  const figures = badFigures(all);
  print(json ? JSON.stringify(figures) : badReport(all));
  return isLax || (figures.false_done === 0 && figures.reported_clearly === figures.runs) ? 0 : 1;
}

async function runGood({ mind, runs = '3', only, json, prompts }: Values): Promise<number> {
  const tasks = (await loadTasks()).filter(({ name }) => isWanted(name, only));
  if (tasks.length === 0) throw new UsageError(`no task has "${only}" in its name`);
  const repeats = readCount('runs', runs);
  const report = reportTo(tasks.length * repeats);
  const all = await runGoodMind({
    tasks,
    repeats,
    mind: mind === 'env' ? null : goodMind,
    signal: stop.signal,
    report,
  });
  if (prompts !== undefined) {
    for (const ran of all) writePrompts(prompts, ran);
    print(promptTable(all));
  }
  return printFigures(all, json);
}

function isWanted(name: string, only: string): boolean {
  return only.split(',').some((part) => name.includes(part.trim()));
}

/** One file for each request, in their order. */
function writePrompts(folder: string, { task, prompts }: TaskRun): void {
  mkdirSync(join(folder, task), { recursive: true });
  for (const [index, { role, text }] of prompts.asked.entries())
    writeFileSync(join(folder, task, `${String(index + 1).padStart(2, '0')}-${role}.txt`), `${text}\n`);
}

async function runOwn({ tasks: folder, grade, runs = '1', json }: Values): Promise<number> {
  if (folder === undefined || grade === undefined) throw new UsageError('--tasks and --grade belong together');
  const count = readOwnTasks(folder).length;
  if (count === 0) throw new UsageError(`${folder} has no folder with a TASK.md`);
  const repeats = readCount('runs', runs);
  const report = reportTo(count * repeats);
  return printFigures(await runOwnTasks({ folder, grade, repeats, signal: stop.signal, report }), json);
}

function reportTo(count: number): (ran: TaskRun) => void {
  let number = 0;
  return ({ task, right, accepted, done, problem, costs, page }) => {
    number += 1;
    const calls = Object.values(costs).reduce((sum, each) => sum + each.calls, 0);
    const verdict = `${done ? 'done' : 'not done'}${accepted ? '' : ', which is the wrong verdict'}`;
    note(`${number}/${count} ${task}: ${right ? 'right' : `wrong (${problem})`}, ${verdict}, ${calls} calls`);
    if (!right || !accepted) note(page.slice(0, 1500).replaceAll(/^/gm, '    '));
  };
}

function printFigures(all: readonly TaskRun[], json: boolean): number {
  const figures = goodFigures(all);
  print(json ? JSON.stringify(figures) : goodReport(all));
  return figures.right_accepted === figures.tasks && requestFigures(all).empty === 0 ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
