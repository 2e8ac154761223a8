/**
 * Owns: the evidence about the work of a task: the files it made, as they are now, what it changed in others, or those that
 * it was to change where it changed none of them, and the results of the calls that its steps made, in every attempt.
 */
import { LIST_OF_CHANGES, type Witness } from './roles/critic-evidence.ts';
import { type Doubt, findDoubts } from './roles/doubtful-values.ts';
import { describeSources, type Inputs, THE_ANSWER } from './roles/value-sources.ts';
import { formatOutput } from '../../kit/text/prompt-text.ts';
import { STEP_CHECK } from '../../core/schema/acceptance.ts';
import type { Event } from '../../core/schema/event.ts';
import { FIGURE, isComputation, isComputed, isFigure } from './recompute.ts';
import type { Found } from './roles/verdict.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Act, Outcome } from '../../core/schema/tool.ts';
import type { Changes } from '../../kit/desk/desk-changes.ts';
import type { ShownEdit } from './read-edits.ts';

const MOST_FILES = 20;
const MOST_NAMES = 500;

/** Answers of a model are no evidence; what a check read is shown by the calls inside it. */
const NO_EVIDENCE = new Set(['model.complete', STEP_CHECK]);

/** `attempts` are the events of the runs of each plan, the latest last. */
export type WorkDone = {
  attempts: readonly (readonly Event[])[];
  changes: Changes;
  /** What was changed in files that were there before. */
  edits?: readonly ShownEdit[];
};

/** `untouched` is what the plans were to change and did not, `checked` what checks found, `task` what was asked for. */
export async function collectEvidence(
  { attempts, changes, edits = [] }: WorkDone,
  act: Act,
  { untouched = [], checked = [], task }: EvidenceTerms = {},
): Promise<Witness[]> {
  const attempt = attempts.length;
  const files: Witness[] = [];
  const unchanged = untouched.filter((target) => !/[*?{]/.test(target));
  for (const path of [...new Set([...changes.created, ...changes.changed, ...unchanged])].slice(0, MOST_FILES)) {
    const input = /\.x?html?$/i.test(path) ? { path, source: true } : { path }; // what was made is judged as it is
    const outcome = await act('files.read', input, { author: 'model' });
    const isOwn = changes.created.includes(path);
    const file: Witness = { ...witnessOf('files.read', input, outcome, attempt), kind: 'file', isOwn };
    const edit = outcome.status === 'ok' ? edits.find((each) => each.path === path) : undefined;
    files.push(edit === undefined ? file : { ...file, source: `diff of ${path}`, text: edit.diff, now: edit.now });
  }
  const calls = attempts.flatMap((events, index) => callsIn(events, index + 1));
  const names = [...changesWitness(changes, attempt), ...namesWitness(task?.names ?? '', calls, attempt)];
  const inputs = task === undefined ? null : inputsOf(task, files, [...names, ...calls], checked);
  const sources = inputs === null ? '' : describeSources(inputs);
  const doubts = inputs === null || task === undefined ? [] : await doubtsOf(inputs, task, act);
  return [
    ...names,
    ...files,
    ...checkWitness(checked, attempt),
    ...(sources === '' && doubts.length === 0
      ? []
      : [{ ...OWN, source: 'values and their sources', attempt, text: sources, kind: 'sources' as const, doubts }]),
    ...calls,
  ];
}

/** What oka itself has found. */
const OWN = { ok: true, input: '' };

const NAMES_NOW = 'names of files now';
const WRITES = /^files\.(?:write|edit|move|remove)\b/;

/** What was made, and what it can have been made from. A file that the task itself made is no input. */
function inputsOf(
  { text, answer, given, pack }: NonNullable<EvidenceTerms['task']>,
  files: readonly Witness[],
  calls: readonly Witness[],
  checked: readonly Found[],
): Inputs {
  const lines = (shown: string, mark: RegExp): string =>
    shown
      .split('\n')
      .flatMap((line) => (mark.test(line) ? [line.slice(1)] : []))
      .join('\n');
  const own = new Set(files.flatMap(({ isOwn, input }) => (isOwn === true ? [input] : [])));
  const read = calls.filter(({ ok, source, input }) => ok && !WRITES.test(source) && !own.has(input));
  const changed = files.map(({ input }) => (JSON.parse(input) as { path: string }).path);
  const edited = files.filter(({ now }) => now !== undefined);
  const computed = checked.filter((found) => isFigure(found) && isComputed(found));
  return {
    task: text,
    made: [
      ...files.flatMap(({ source, isOwn, text: made }) => (isOwn === true ? [{ name: source, text: made }] : [])),
      ...edited.map(({ source, text: diff }) => ({ name: source, text: lines(diff, /^\+/) })),
      ...(answer === null ? [] : [{ name: THE_ANSWER, text: answer }]),
    ],
    read: [
      ...read.map(({ source, text: shown }) => ({
        name: source,
        text: source === NAMES_NOW ? shown.replaceAll(/ \(\d+ K?B\)|[^\s,]+\/(?=,|$)/gm, '') : shown,
      })),
      { name: 'memories', text: pack },
      ...edited.map(({ source, text: diff }) => ({ name: source, text: lines(diff, /^[- ]/) })),
      ...checked.filter(isFigure).map(({ text: name, evidence, printed }) => ({ name, text: printed ?? evidence })),
    ],
    given,
    calls: calls.map(({ input }) => input),
    computed: computed.map(({ text }) => text.slice(FIGURE.length)),
    printed: [
      ...computed.map(({ printed = '' }) => printed),
      ...read.flatMap(({ source, call, text: shown }) =>
        SKILL_SCRIPT.test(source) || (call !== undefined && isComputation(call, shown, changed)) ? [shown] : [],
      ),
    ],
  };
}

/** No model has written it. */
const SKILL_SCRIPT = /^skill\.run\b/;

const MOST_GIVEN = 20;

/** Before a value is doubted, the files of the task are looked at that no step has read. */
async function doubtsOf(inputs: Inputs, task: NonNullable<EvidenceTerms['task']>, act: Act): Promise<Doubt[]> {
  const made = task.isAnswerJudged ? inputs.made : inputs.made.filter(({ name }) => name !== THE_ANSWER);
  const asked = { ...inputs, made };
  const unread = task.given.filter(
    (path) => !inputs.calls.some((call) => call.includes(`"path":${JSON.stringify(path)}`)),
  );
  if (findDoubts(asked).length === 0 || unread.length === 0) return findDoubts(asked);
  const more = await Promise.all(
    unread.slice(0, MOST_GIVEN).map(async (path) => {
      const outcome = await act('files.read', { path }, { author: 'model' });
      return { name: path, text: outcome.status === 'ok' ? contentOf(outcome.output) : '' };
    }),
  );
  return findDoubts({ ...asked, read: [...inputs.read, ...more] });
}

type EvidenceTerms = {
  untouched?: readonly string[];
  checked?: readonly Found[];
  /** The task, its final answer, the files that it gives or names, the names around it, and what is remembered for it. */
  task?: {
    text: string;
    answer: string | null;
    /** Whether the answer is what was asked for. */
    isAnswerJudged: boolean;
    given: readonly string[];
    names: string;
    pack: string;
  };
};

/** What code has decided already, in one entry. */
function checkWitness(checked: readonly Found[], attempt: number): Witness[] {
  if (checked.length === 0) return [];
  const text = checked.map(
    ({ text: criterion, holds, evidence }) => `${holds ? 'met' : 'not met'}: ${criterion} (${evidence})`,
  );
  return [{ source: 'checks by oka', attempt, ok: true, input: '', text: text.join('\n'), kind: 'check' }];
}

/** What a call that was made for the critic has shown. */
export function witnessOf(tool: string, input: Json, outcome: Outcome, attempt: number): Witness {
  const isOk = outcome.status === 'ok';
  const text = isOk ? contentOf(outcome.output) : 'error' in outcome ? outcome.error : 'it was not read';
  const given = JSON.stringify(input);
  return { source: `${tool} ${given.slice(0, 200)}`, attempt, ok: isOk, input: given, text };
}

/** The text of a file is shown as it is. */
function contentOf(output: Json): string {
  const { content, binary } = (output ?? {}) as { content?: Json; binary?: Json };
  return typeof content === 'string' && binary !== true ? content : formatOutput(output);
}

function changesWitness({ created, changed, removed }: Changes, attempt: number): Witness[] {
  const lines = [
    ...created.map((path) => `new: ${path}`),
    ...changed.map((path) => `changed: ${path}`),
    ...removed.map((path) => `removed: ${path}`),
  ];
  const text = lines.length === 0 ? 'no file of the desk was changed' : lines.slice(0, MOST_NAMES).join('\n');
  return [{ source: LIST_OF_CHANGES, attempt, ok: true, input: '', text, kind: 'file' }];
}

/** The names that a worker was shown with its task are evidence, too, where it has not asked for them itself. */
function namesWitness(text: string, calls: readonly Witness[], attempt: number): Witness[] {
  const isListed = calls.some(({ source, ok }) => ok && source.startsWith('files.list '));
  return text === '' || isListed ? [] : [{ ...OWN, source: NAMES_NOW, attempt, text, kind: 'file' }];
}

/** The results of the calls that the steps made. */
function callsIn(events: readonly Event[], attempt: number): Witness[] {
  const started = new Map<string, { tool: string; input: string; line: string | null }>();
  return events.flatMap((event): Witness[] => {
    if (event.type === 'call.started' && !NO_EVIDENCE.has(event.data.tool))
      started.set(event.data.call, {
        tool: event.data.tool,
        input: JSON.stringify(event.data.input),
        line: commandIn(event.data.input),
      });
    const call = event.type === 'call.ended' ? started.get(event.data.call) : undefined;
    if (call === undefined || event.type !== 'call.ended' || event.data.status === 'waiting') return [];
    const { status, output, error } = event.data;
    const text = status === 'ok' ? formatOutput(withoutReports(call.tool, output)) : (error ?? '');
    const source = `${call.tool} ${call.input.slice(0, 200)}`;
    const line = call.line === null ? {} : { call: call.line };
    return [{ source, attempt, ok: status === 'ok', input: call.input, text, ...line }];
  });
}

/** The command that a call runs, as it would be typed. */
function commandIn(input: Json): string | null {
  const { line, code } = (input ?? {}) as { line?: Json; code?: Json };
  return typeof line === 'string' ? line : typeof code === 'string' ? code : null;
}

/** Memory also finds what oka wrote about earlier runs, such as "every criterion is met". A verdict is no evidence. */
function withoutReports(tool: string, output: Json): Json {
  if (tool !== 'memory.search' || !Array.isArray(output)) return output;
  return output.filter((found) => (found as { who?: Json } | null)?.who !== 'oka');
}
