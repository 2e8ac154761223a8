/** Owns: which fences of a task are steps, their ids and titles, and problems between steps. */
import { findInvisible } from '../../core/guard/escape-invisible.ts';
import type { Block, LineProblem } from '../text/markdown-blocks.ts';
import { type FenceInfo, parseFenceInfo, fenceLanguage } from '../text/fence-info.ts';
import { slugify } from '../text/prompt-text.ts';
import { toOneLine } from '../../core/schema/one-line.ts';

export type Language = 'shell' | 'python' | 'javascript';

type Fence = Extract<Block, { kind: 'fence' }>;
export type Step = { id: string; title: string; fence: Fence; info: FenceInfo; language: Language };

/** What a fence that is a step begins with. */
export const FENCE_LANGUAGES: Readonly<Record<string, Language>> = {
  bash: 'shell',
  sh: 'shell',
  shell: 'shell',
  python: 'python',
  py: 'python',
  js: 'javascript',
  javascript: 'javascript',
  node: 'javascript',
};

/** On Linux one argument may have 131,071 bytes; the shell tool accepts 100,000 characters. */
const MAX_CODE = 99_000;
const MAX_STEPS = 500;
const RESERVED_IDS = ['input', 'last', 'item'];

export function findSteps(
  blocks: readonly Block[],
  taken: ReadonlySet<Block>,
): { steps: Step[]; problems: LineProblem[] } {
  const problems: LineProblem[] = [];
  const found: (Omit<Step, 'id' | 'title'> & { heading: string })[] = [];
  let [heading, item] = ['', ''];
  for (const block of blocks) {
    if (taken.has(block)) continue;
    if (block.kind === 'heading') [heading, item] = [plainTitle(block.text), ''];
    if (block.kind === 'item' && block.ordered) heading = plainTitle(block.text);
    if (block.kind === 'item') item = plainTitle(block.text);
    if (block.kind !== 'fence') continue;
    const language = FENCE_LANGUAGES[fenceLanguage(block.info)];
    if (language === undefined) continue;
    const { info, problems: wrong } = parseFenceInfo(block.info);
    problems.push(...[...wrong, ...codeProblems(block.code)].map((problem) => ({ line: block.line, problem })));
    found.push({ fence: block, info, language, heading: (block.inItem && item) || heading });
  }
  if (found.length > MAX_STEPS)
    problems.push({ line: 1, problem: `there are ${found.length} steps; a runbook has at most ${MAX_STEPS}` });
  return { steps: nameSteps(found.slice(0, MAX_STEPS)), problems };
}

/** Ids are made from headings; an id that the author wrote is never given to another step. */
function nameSteps(found: readonly (Omit<Step, 'id' | 'title'> & { heading: string })[]): Step[] {
  const names = new Set([...RESERVED_IDS, ...found.flatMap(({ info }) => info.id ?? [])]);
  const titles = new Map<string, number>();
  return found.map(({ heading, ...rest }, index) => {
    const times = (titles.get(heading) ?? 0) + 1;
    titles.set(heading, times);
    const title = heading === '' ? `Step ${index + 1}` : times === 1 ? heading : `${heading} (${times})`;
    const id = rest.info.id ?? chooseStepId(heading, index, names);
    names.add(id);
    return { id, title: rest.info.id !== undefined && heading === '' ? rest.info.id : title, ...rest };
  });
}

function chooseStepId(heading: string, index: number, names: ReadonlySet<string>): string {
  const slug = slugify(heading, 60);
  const base = slug === '' ? `step-${index + 1}` : /^[a-z]/.test(slug) ? slug : `step-${slug}`;
  let name = base;
  for (let number = 2; names.has(name); number += 1) name = `${base}-${number}`;
  return name;
}

/** A heading without emphasis, code marks, links and a colon at its end. */
function plainTitle(text: string): string {
  const bare = text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replace(/[\s:]+$/, '');
  return toOneLine(bare, 200);
}

function codeProblems(code: string): string[] {
  if (code.trim() === '') return ['this block is empty'];
  if (code.includes('\0')) return ['this block has a NUL in it'];
  const invisible = findInvisible(code);
  if (invisible !== null) {
    const line = code.split('\n').findIndex((each) => findInvisible(each) !== null) + 1;
    return [
      `line ${line} of this block contains an invisible character (${invisible}); remove it or type the line again`,
    ];
  }
  const most = Math.max(code.length, Buffer.byteLength(code));
  return most > MAX_CODE
    ? [`this block has ${most} bytes, more than ${MAX_CODE}; put the code into a file next to the task and call it`]
    : [];
}

export function findStepProblems(steps: readonly Step[]): LineProblem[] {
  const lines = new Map<string, number>();
  const problems: LineProblem[] = [];
  for (const { id, fence } of steps) {
    const first = lines.get(id);
    if (RESERVED_IDS.includes(id)) problems.push({ line: fence.line, problem: `"${id}" cannot be the id of a step` });
    if (first === undefined) lines.set(id, fence.line);
    else problems.push({ line: fence.line, problem: `id "${id}" is taken by the step in line ${first}` });
  }
  for (const { fence, info } of steps)
    for (const need of info.needs ?? [])
      if (!lines.has(need)) {
        const there = [...lines.keys()].slice(0, 20).join(', ');
        problems.push({ line: fence.line, problem: `needs "${need}", but no step has this id; there is: ${there}` });
      }
  return problems.length > 0 ? problems : findCycles(steps);
}

/** Removes the steps that can run until none can; the remaining ones wait for each other. */
function findCycles(steps: readonly Step[]): LineProblem[] {
  const needs = new Map(
    steps.map(({ id, info }, index) => [id, info.needs ?? [steps[index - 1]?.id ?? ''].filter(Boolean)]),
  );
  for (let shrunk = true; shrunk; ) {
    const free = [...needs].filter(([, before]) => !before.some((need) => needs.has(need)));
    for (const [id] of free) needs.delete(id);
    shrunk = free.length > 0;
  }
  const [first] = steps.filter(({ id, info }) => needs.has(id) && info.needs !== undefined);
  if (needs.size === 0 || first === undefined) return [];
  const members = [...needs.keys()].slice(0, 10).join(', ');
  return [{ line: first.fence.line, problem: `these steps wait for each other: ${members}` }];
}
