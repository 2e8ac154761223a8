/**
 * Owns: running a folder of tasks of somebody else, each in a home of its own, with the model that is configured.
 *
 * O1 Every folder with a TASK.md is a task; its other files come with it.
 * O2 The command that grades is called with the name of the task and a folder that has what the task left in its own
 *    folder, and RESULT.md; exit status 0 means that the work is right.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeAt } from '../../src/kit/settings.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { EvalHome, readOrNull } from './eval-home.ts';
import { type EvalTask, readFiles } from './eval-task.ts';
import { emptyTurnsIn, spentBy } from './role-costs.ts';
import type { TaskRun } from './run-good.ts';
import { noPrompts } from './serve-mind.ts';

export type OwnOptions = {
  folder: string;
  grade: string;
  repeats: number;
  signal: AbortSignal;
  report: (ran: TaskRun) => void;
};

/** How long a task of a real model may take. */
const PATIENCE_MS = 3_600_000;

export async function runOwnTasks({ folder, grade, repeats, signal, report }: OwnOptions): Promise<TaskRun[]> {
  const tasks = readOwnTasks(folder);
  const all: TaskRun[] = [];
  for (let repeat = 0; repeat < repeats; repeat += 1)
    for (const task of tasks) {
      await using home = new EvalHome({ ...configuredModels() }, PATIENCE_MS);
      home.start();
      const ended = await home.perform(task, signal);
      const graded = gradeResults(grade, task.name, ended.dir, ended.page);
      const problem = ended.strays.length > 0 ? `it changed ${ended.strays.join(', ')}` : graded;
      const done = ended.status === 'done';
      const ran = { task: task.name, right: problem === '', done, accepted: done, problem, page: ended.page };
      const costs = { costs: spentBy(ended.events), emptyTurns: emptyTurnsIn(ended.events) };
      const whole = { ...ran, ...costs, prompts: noPrompts() };
      all.push(whole);
      report(whole);
    }
  return all;
}

export function readOwnTasks(folder: string): EvalTask[] {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'TASK.md')));
  return names.toSorted().map((name) => {
    const files = readFiles(join(folder, name));
    files.delete('TASK.md');
    return {
      name,
      text: readFileSync(join(folder, name, 'TASK.md'), 'utf8'),
      files,
      isFolder: true,
      tools: [],
      targets: ['**'],
      criteria: () => [],
      work: () => '',
      grade: () => null,
    };
  });
}

/** The models in the config.json of the home that is used otherwise; the environment goes before it, as always. */
function configuredModels(): { [key: string]: Json } {
  const { OKA_DIR: dir = process.cwd() } = process.env;
  const text = readOrNull(homeAt(dir).config);
  if (text === null) return {};
  const { models } = JSON.parse(text) as { models?: Json };
  return models === undefined ? {} : { models };
}

/** Says what is wrong; empty when the grader accepts it. */
function gradeResults(command: string, name: string, dir: string, page: string): string {
  const results = mkdtempSync(join(tmpdir(), 'oka-results-'));
  try {
    if (existsSync(dir)) cpSync(dir, results, { recursive: true });
    writeFileSync(join(results, 'RESULT.md'), page);
    const words = ['-c', `${command} "$@"`, 'grade', name, results];
    const { status, stdout, stderr } = spawnSync('sh', words, { encoding: 'utf8' });
    return status === 0 ? '' : `the grader ended with ${status}: ${`${stdout}${stderr}`.trim().slice(0, 500)}`;
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}
