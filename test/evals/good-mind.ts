/**
 * Owns: the good mind: planner, worker and critic of one task, who answer from the task and from what prompts show them.
 *
 * G1 It knows how a task is done, and nothing about the home: every figure it writes comes from a result in a prompt.
 * G2 The critic judges by the evidence it is shown: it quotes what shows a criterion, or says that nothing does.
 */
import type { Json } from '../../src/core/schema/json.ts';
import { call, calls, type WireReply, type WireRequest } from '../support/wire-server-reply.ts';
import { partOf } from '../support/story-model.ts';
import { CallsNeeded, type EvalTask, type Hands, Refusal, type ToolCall } from './eval-task.ts';
import { StepMemory, turnOf } from './mind-memory.ts';

export type Mind = { answer(request: WireRequest, task: EvalTask): WireReply };

export function goodMind(): Mind {
  const memory = new StepMemory();
  return {
    answer: (request, task) => {
      switch (partOf(request)) {
        case 'planner':
          return task.isImpossible === true && request.tools.includes('cannot_be_done')
            ? call('cannot_be_done', { reason: 'the step has shown what is missing' })
            : planTask(request, task);
        case 'executor':
          return workOn(request, task, memory);
        case 'critic':
          return judge(request, task);
      }
    },
  };
}

/** The folder of the task, as the prompt names it. */
export function folderIn({ text }: WireRequest): (path: string) => string {
  const dir = /Its files are in (\S+?)\/[;.]/.exec(text)?.[1];
  return (path) => (dir === undefined ? path : path === '.' ? dir : `${dir}/${path}`);
}

export function planTask(request: WireRequest, task: EvalTask): WireReply {
  const [first = ''] = bodyOf(task).split('\n');
  if (!request.text.includes(first))
    throw new Error(`the prompt of the planner does not contain the task ${task.name}`);
  const at = folderIn(request);
  return call('submit_plan', {
    title: task.name,
    criteria: [...task.criteria(at)],
    steps: [
      {
        id: freeId(request),
        title: 'do the task',
        goal: bodyOf(task).slice(0, 3000),
        tools: [...task.tools],
        targets: task.targets.map(at),
      },
    ],
  });
}

/** A step that is done keeps its name. */
function freeId({ text }: WireRequest): string {
  let number = 1;
  while (text.includes(`- work-${number}:`)) number += 1;
  return `work-${number}`;
}

/** The text below the front matter. */
export const bodyOf = ({ text }: EvalTask): string => text.replace(/^---\n[^]*?\n---\n/, '').trim();

export function workOn(request: WireRequest, task: EvalTask, memory: StepMemory): WireReply {
  memory.see(request);
  const changes: ToolCall[] = [];
  const figures: Figure[] = [];
  try {
    const output = task.work(handsOf(request, memory, changes, figures));
    const result = { output, ...(figures.length === 0 ? {} : { figures }) };
    return changes.length === 0 ? finish(request, result) : makeCalls(request, changes, memory, result);
  } catch (error) {
    if (error instanceof Refusal) return call('fail', { reason: error.message });
    if (error instanceof CallsNeeded) return makeCalls(request, [...changes, ...error.calls], memory);
    throw error;
  }
}

type Figure = { value: string; command: string };
type Result = { output: string; figures?: Figure[] };

const finish = (request: WireRequest, result: Result): WireReply =>
  request.tools.includes('finish') ? call('finish', result) : move(request, 'decide');

/**
 * Makes the calls that are offered now: all of them where the prompt allows several, else the first. The answer comes with
 * the last changes where the prompt allows that.
 */
function makeCalls(
  request: WireRequest,
  wanted: readonly ToolCall[],
  memory: StepMemory,
  result: Result | null = null,
): WireReply {
  const [first] = wanted;
  if (first === undefined) throw new Error('no call is wanted');
  if (!request.tools.includes(wireName(first.tool))) return move(request, isRead(first) ? 'explore' : 'act');
  const now = allowsSeveral(request) ? wanted : [first];
  memory.note(now, turnOf(request));
  const made = now.map(({ tool, input }) => ({ name: wireName(tool), input }));
  return calls(result === null ? made : [...made, { name: 'finish', input: result }]);
}

export const wireName = (tool: string): string => tool.replaceAll('.', '_');
const isRead = ({ tool }: ToolCall): boolean => /^(files\.(read|list|search)|http\.get|memory\.search)$/.test(tool);
const allowsSeveral = ({ text }: WireRequest): boolean => /in one turn/.test(text);
const allowsFinish = ({ text }: WireRequest): boolean => /in one turn with your last writes/.test(text);

/** Goes towards a state; through `decide` where there is no direct transition. */
function move(request: WireRequest, to: string): WireReply {
  const tool = (request.body['tools'] as Json[]).find((each) => JSON.stringify(each).includes('"transition"'));
  const possible = JSON.stringify(tool ?? '');
  return call('transition', { to: possible.includes(`"${to}"`) ? to : 'decide' });
}

/** `changes` gets the changes that are still to be made, where the prompt allows to answer in the same turn. */
function handsOf(request: WireRequest, memory: StepMemory, changes: ToolCall[], figures: Figure[]): Hands {
  const at = folderIn(request);
  const result = (tool: string, input: ToolCall['input']): { status: string; body: string } => {
    const found = memory.resultOf({ tool, input });
    if (found === null) throw new CallsNeeded([{ tool, input }]);
    return found;
  };
  const change = (tool: string, input: ToolCall['input']): void => {
    if (allowsFinish(request) && memory.resultOf({ tool, input }) === null) changes.push({ tool, input });
    else result(tool, input);
  };
  const get = (url: string): string => result('http.get', { url }).body;
  const read = (path: string): string => fieldIn(result('files.read', { path: at(path) }).body, 'content');
  return {
    at,
    read,
    readAll: (paths) => {
      const needed = paths.map((path) => ({ tool: 'files.read', input: { path: at(path) } }));
      const missing = needed.filter((each) => memory.resultOf(each) === null);
      if (missing.length > 0) throw new CallsNeeded(missing);
      return paths.map(read);
    },
    list: (path) => namesShown(request.text, at(path)) ?? namesIn(result('files.list', { path: at(path) }).body),
    shell: (line) => fieldIn(result('shell', { line }).body, 'stdout'),
    get,
    getAll: (urls) => {
      const missing = urls
        .map((url) => ({ tool: 'http.get', input: { url } }))
        .filter((each) => memory.resultOf(each) === null);
      if (missing.length > 0) throw new CallsNeeded(missing);
      return urls.map(get);
    },
    write: (path, content) => change('files.write', { path: at(path), content }),
    edit: (path, old, replacement) => change('files.edit', { path: at(path), old, new: replacement }),
    move: (from, to) => change('files.move', { from: at(from), to: at(to) }),
    remove: (path) => change('files.remove', { path: at(path) }),
    note: (text) => change('memory.note', { text }),
    search: (pattern, path) => {
      const { body } = result('files.search', { pattern, path: at(path) });
      return [...body.matchAll(/"text":"((?:[^"\\\\]|\\\\.)*)"/g)].map(([, text = '']) => text);
    },
    verify: (path) => {
      const call = { tool: 'files.read', input: { path: at(path) } };
      if (/need not be read/.test(request.text) || memory.hasReadSinceWrite(call)) return;
      throw new CallsNeeded([call]);
    },
    wrote: (path) => memory.hasWritten(at(path)),
    recall: (pattern, query) =>
      pattern.exec(request.text)?.[0] ??
      (request.tools.includes('memory_search')
        ? (pattern.exec(result('memory.search', { query }).body)?.[0] ?? null)
        : null),
    lookUp: (query) => result('memory.search', { query }).body,
    isThere: (path) => {
      const [folder = '.', name = path] = /^(.+)\/([^/]+)$/.exec(path)?.slice(1) ?? [];
      const shown = namesShown(request.text, at(folder));
      return shown?.includes(name) ?? result('files.read', { path: at(path) }).status === 'ok';
    },
    compute: (value, command) => void figures.push({ value, command }),
    refuse: (reason) => {
      throw new Refusal(reason);
    },
  };
}

/** A field of an output, which prompts show as `name: value`, one after another. */
export function fieldIn(body: string, name: string): string {
  const start = body.search(new RegExp(`^${name}: `, 'm'));
  if (start === -1) return '';
  const rest = body.slice(start + name.length + 2);
  const end = rest.search(
    /\n(?:more|stderr|exit|truncated|ms|size|stdout|skipped|binary|status|stderr_bytes|type|url|origin): /,
  );
  return end === -1 ? rest : rest.slice(0, end);
}

/** The names in a folder, where the prompt lists all of them. */
function namesShown(text: string, folder: string): string[] | null {
  const listed = /<data (\w+) names of files>\n([^]*?)\n<\/data \1>/.exec(text)?.[2]?.split('\n') ?? [];
  const line = listed.find((each) => each.startsWith(`${folder}/: `))?.slice(folder.length + 3);
  if (line === undefined || /…|, and \d+ more$/.test(line)) return null;
  return line.split(', ').map((name) => name.replace(/\/$| \(\d+ K?B\)$/, ''));
}

const namesIn = (body: string): string[] =>
  [...body.matchAll(/"(?:name|path)":"([^"]+)"/g)].map(([, path = '']) => path.slice(path.lastIndexOf('/') + 1));

export type Piece = { name: string; source: string; text: string };

export function evidenceIn({ text }: WireRequest): Piece[] {
  return [...text.matchAll(/<data (\w+) (E\d+) ([^\n]*)>\n([^]*?)\n<\/data \1>/g)].map(
    ([, , name = '', source = '', body = '']) => ({ name, source, text: body }),
  );
}

export function criteriaIn({ text }: WireRequest): { name: string; text: string }[] {
  return [...text.matchAll(/^(c\d+): (.*)$/gm)].map(([, name = '', criterion = '']) => ({ name, text: criterion }));
}

export function judge(request: WireRequest, task: EvalTask): WireReply {
  const claims = criteriaIn(request).map(({ name, text }) => {
    const shown = showsIt(request, task, text);
    return { criterion: name, holds: shown !== null, evidence: shown?.name ?? '', quote: shown?.quote ?? '' };
  });
  const isDone = claims.every(({ holds }) => holds);
  const reason = isDone ? 'the evidence shows every criterion' : 'the evidence does not show every criterion';
  return call('submit_verdict', { criteria: claims, verdict: isDone ? 'done' : 'rework', reason });
}

/** What in the evidence shows a criterion: one of the plan's own, or one that oka has added to it. */
function showsIt(request: WireRequest, task: EvalTask, criterion: string): { name: string; quote: string } | null {
  const prose = task.criteria(folderIn(request)).filter((text) => !/^[a-z]+: /.test(text));
  const index = prose.indexOf(criterion);
  if (!isAnswerRight(request, task, /nothing had to be/i.test(criterion))) return null;
  const proofs = index === -1 ? proofsOfAnswer(request, task) : [task.proofs?.[index] ?? /$^/];
  const files = (index === -1 ? null : criterion.match(/[\w-]+\.(?:csv|json|md|txt)/g)) ?? [''];
  const isWhole = criterion.startsWith('What the task asks for is done');
  const entries = evidenceIn(request)
    .filter(({ source }) => source !== 'values and their sources')
    .filter(({ source }) => index !== -1 || isWhole || !OWN_LIST.test(source));
  for (const { name, source, text } of entries.toReversed()) {
    const isAbout = files.some((file) => source.includes(file) || (isWhole && text.includes(file)));
    const quote = isAbout ? proofs.map((proof) => quoteAround(text, proof)).find(isText) : undefined;
    if (quote !== undefined) return { name, quote };
  }
  return null;
}

/** What oka lists itself says that something was changed or checked, and not that an answer is right. */
const OWN_LIST = /^(?:checks by oka|changes of the desk)/;

/** What shows that an answer is right: what the task says, or a figure or a name that the answer contains. */
function proofsOfAnswer(request: WireRequest, task: EvalTask): RegExp[] {
  const words = (answerIn(request) ?? '').match(/[\p{L}\d][\w./-]*\d[\w/-]*|\p{Lu}\p{Ll}{3,}|[\w-]+\.\w{2,4}/gu) ?? [];
  return [...(task.proofs ?? []), ...words.map((word) => new RegExp(RegExp.escape(word)))];
}

const isText = (quote: string | null): quote is string => quote !== null;

export const answerIn = ({ text }: WireRequest): string | undefined =>
  /<data (\w+) answer>\n([^]*?)\n<\/data \1>/.exec(text)?.[2];

/** Whether the answer says what the evidence shows, where the prompt contains it and the task is about the answer. */
function isAnswerRight(request: WireRequest, task: EvalTask, isAllThereIs: boolean): boolean {
  const answer = answerIn(request);
  if (answer === undefined || (task.targets.length > 0 && !isAllThereIs)) return true;
  return task.grade({ answer, file: () => null, names: () => [], page: '', isDone: true }) === null;
}

const AROUND = 100;
/** A result that only names what the call was about, which proves nothing. */
const REPEATS_CALL = /^(?:path|from|to|url|size|command): | is not there\b/;

/** The line with the proof, or the part of a long one around it. */
function quoteAround(text: string, proof: RegExp): string | null {
  const line = text.split('\n').find((each) => !REPEATS_CALL.test(each) && proof.test(each));
  if (line === undefined || line.length <= 2 * AROUND) return line ?? null;
  const at = proof.exec(line)?.index ?? 0;
  return line.slice(Math.max(0, at - AROUND), at + AROUND);
}
