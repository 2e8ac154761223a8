/** Tasks of the crash trial, and what may stand in their results: judged by what is on the desk, not by events. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveHome } from './live-home.ts';
import type { Random } from './trial.ts';

export type CrashTask = { id: string; steps: number; text: string };

/** Each step notes its beginning and its end; some leave a process behind that would write later. */
export function crashTask(id: string, random: Random): CrashTask {
  const steps = random.between(1, 3);
  const fences = Array.from(
    { length: steps },
    (_, index) => `## Step ${index + 1}\n\n\`\`\`bash\n${stepScript(id, index + 1, random)}\n\`\`\`\n`,
  );
  return { id, steps, text: `---\nid: ${id}\n---\n${fences.join('\n')}` };
}

function stepScript(id: string, step: number, random: Random): string {
  const at = `${id}/${step}`;
  const late = `(setsid bash -c 'sleep 3; echo late >> ${at}.late # step of ${id}' &)`;
  return [
    `# step of ${id}`,
    'set -e',
    `mkdir -p ${id}`,
    `date +%s%N >> ${at}.begin`,
    ...(random.chance(0.4) ? [late] : []),
    `sleep ${random.pick([0.1, 0.3, 0.7, 1.5])}`,
    `echo "content of ${id} ${step}" > ${at}.out`,
    `date +%s%N >> ${at}.end`,
  ].join('\n');
}

/** Whether the step did all it had to, so that a person would answer "done". */
export function didHappen(live: LiveHome, id: string, step: number): boolean {
  return linesOf(live, `${id}/${step}.end`).length > 0;
}

export type Repeats = ReadonlyMap<string, number>;

/** What is wrong with the result of a task; `repeats` counts how often a person said that a step be repeated. */
export function judgeResult(live: LiveHome, { id, steps }: CrashTask, repeats: Repeats): string[] {
  const page = live.page(id);
  if (page === null) return [`${id} has no result`];
  const numbers = Array.from({ length: steps }, (_, index) => index + 1);
  const missing = numbers.filter((step) => textOn(live, `${id}/${step}.out`) !== `content of ${id} ${step}\n`);
  const doubled = numbers.filter(
    (step) => linesOf(live, `${id}/${step}.begin`).length > 1 + (repeats.get(`${id}/${step}`) ?? 0),
  );
  const isDone = page.includes('✅ Done');
  return [
    ...(isDone ? missing.map((step) => `${id} is called done without the output of step ${step}`) : []),
    ...doubled.map((step) => `step ${step} of ${id} began more than once without being asked to`),
    ...wrongFiles(live, id, page),
  ];
}

export const isDone = (live: LiveHome, { id }: CrashTask): boolean => live.page(id)?.includes('✅ Done') === true;

/** The files that a result lists as new must be those in the task's own folder, no more and no less. */
function wrongFiles(live: LiveHome, id: string, page: string): string[] {
  const listed = [...page.matchAll(/^- (new|changed|removed) \[?`([^`]+)`/gm)].map(([, how, path]) => `${how} ${path}`);
  const folder = live.desk(id);
  const there = existsSync(folder) ? readdirSync(folder).map((name) => `new ${id}/${name}`) : [];
  const foreign = listed.filter((line) => !there.includes(line) && line !== `new ${id}`);
  const unlisted = there.filter((line) => !listed.includes(line));
  return [
    ...foreign.map((line) => `the result of ${id} lists "${line}", which it did not do`),
    ...unlisted.map((line) => `the result of ${id} does not list "${line}"`),
  ];
}

/** Beginnings and ends that the steps noted themselves: no step may begin within another. */
export function overlapsNoted(live: LiveHome, tasks: readonly CrashTask[]): string[] {
  const spans = tasks.flatMap(({ id, steps }) =>
    Array.from({ length: steps }, (_, index) => `${id}/${index + 1}`).flatMap((at) => {
      const [begins, ends] = [linesOf(live, `${at}.begin`), linesOf(live, `${at}.end`)];
      return begins.length === 1 && ends.length === 1
        ? [{ at, from: BigInt(begins[0] ?? 0), to: BigInt(ends[0] ?? 0) }]
        : [];
    }),
  );
  const inOrder = spans.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return inOrder.flatMap((span, index) => {
    const next = inOrder[index + 1];
    return next !== undefined && next.from < span.to ? [`${next.at} began while ${span.at} was running`] : [];
  });
}

function textOn(live: LiveHome, path: string): string {
  const file = live.desk(path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const linesOf = (live: LiveHome, path: string): string[] =>
  textOn(live, path)
    .split('\n')
    .filter((line) => /^\d+$/.test(line));

/** Everything on the desk, for comparing before and after an undo. */
export function deskFiles(live: LiveHome): Map<string, string> {
  const names = readdirSync(live.desk(''), { recursive: true, withFileTypes: true });
  return new Map(
    names.flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      return entry.isFile() ? [[file.slice(live.desk('').length + 1), readFileSync(file, 'utf8')] as const] : [];
    }),
  );
}
