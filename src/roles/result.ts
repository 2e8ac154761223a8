/** Owns: RESULT.md, the page that a person reads when a task has ended or cannot continue. */
import { triggersAmong } from '../schema/program-triggers.ts';
import { inlineCode, fenceText, formatLink, indentBlock, escapeInline } from './markdown-escape.ts';

export type ResultStep = {
  id: string;
  title: string;
  status: 'done' | 'failed' | 'skipped' | 'waiting' | 'pending' | 'running';
  /** What was called, such as a command. */
  did?: string;
  attempts?: number;
  /** Tool calls of a worker that decided as it went. */
  calls?: number;
  ms?: number;
  /** The step failed, and the run continued with the fallback that its author gave. */
  fallback?: boolean;
  output?: string;
  error?: string;
};

export type ResultFacts = {
  run: string;
  title: string;
  verdict: 'done' | 'rework' | 'blocked' | 'impossible' | 'failed' | 'cancelled';
  /** Why, in sentences. */
  reason: string;
  /** Name of the file that came in. */
  task: string;
  /** Times in UTC, ISO 8601. */
  started: string;
  ended: string;
  /** What the worker answered in the end, if a model worked. */
  answer?: string;
  steps: readonly ResultStep[];
  criteria: readonly { text: string; holds: boolean; evidence: string; by: 'check' | 'model' | 'person' }[];
  /** How many of the files have a copy next to the page. */
  copies?: number;
  /** Where files that were created or changed are, relative to the page. */
  links?: ReadonlyMap<string, string>;
  /** Criteria of the model's that were provably broken, and what took their place. */
  replaced?: readonly { text: string; by: string; reason: string }[];
  files: { created: readonly string[]; changed: readonly string[]; removed: readonly string[] };
  /** Whether the changes can be undone, and the files that cannot be restored. */
  undo?: { possible: boolean; without: readonly string[] };
  /** Why commands of the task ran without a sandbox. */
  unsandboxed?: string;
  /** Every host that was asked for something, models aside. */
  hosts: readonly string[];
  artifacts: readonly { name: string; bytes: number; sha256: string }[];
  /** Artifacts in which a secret was found, and where they are instead. */
  quarantined?: readonly string[];
  cost: { tokens: number; usd: number; calls: number; modelCalls: number; replans: number; activeMs: number };
  /** provider:model; null when none was needed. */
  model: string | null;
  /** The procedure that the plan was made from. */
  procedure?: string;
  /** `ask`: the kind of reply; `nothing` means that something has to be installed or to happen, not to be answered; `time`: that it is tried again. */
  questions: readonly { id: string; text: string; ask?: 'answer' | 'approval' | 'nothing' | 'time' }[];
  /** What a person can do so that the task continues. */
  next: readonly string[];
  ledger: { first: number; last: number };
  corrects?: string;
};

const HEADLINES: Readonly<Record<ResultFacts['verdict'], string>> = {
  done: '✅ Done',
  rework: '❌ Not done: the result does not meet the criteria',
  blocked: '⏸️ Blocked: a person is needed',
  impossible: '❌ Not possible',
  failed: '❌ Failed',
  cancelled: '⏹️ Cancelled',
};

const MARKS: Readonly<Record<ResultStep['status'], string>> = {
  done: '✅',
  failed: '❌',
  skipped: '⤼',
  waiting: '⏸️',
  pending: '·',
  running: '…',
};

const MAX_LISTED = 200;
const MAX_ANSWER_LINES = 200;

export function resultPage(facts: ResultFacts): string {
  const sections = [
    `# ${escapeInline(facts.title, 200) || 'Untitled task'}`,
    verdictSection(facts),
    answerSection(facts),
    nextSection(facts),
    stepsSection(facts),
    criteriaSection(facts),
    filesSection(facts),
    hostsSection(facts),
    costSection(facts),
    repeatSection(facts),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** A task that waits for nobody, such as for a model that is not reachable, needs no person. */
function headlineOf({ verdict, questions }: ResultFacts): string {
  const needsNobody = questions.length > 0 && questions.every(({ ask }) => ask === 'time');
  return verdict === 'blocked' && needsNobody ? '⏸️ Waiting: it continues automatically' : HEADLINES[verdict];
}

function verdictSection(facts: ResultFacts): string {
  const { reason, criteria, unsandboxed } = facts;
  const met = criteria.filter(({ holds }) => holds).length;
  const count = criteria.length === 0 ? '' : ` ${met} of ${criteria.length} criteria met.`;
  const why = reason
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 20)
    .map((line) => `> ${escapeInline(line, 600)}`);
  return [
    `**${headlineOf(facts)}.**${count}`,
    ...(why.length === 0 ? [] : [why.join('\n>\n')]),
    ...(unsandboxed === undefined ? [] : [`⚠️ ${escapeInline(unsandboxed, 600)}`]),
  ].join('\n\n');
}

/** The answer may be what was asked for, so it comes first. It was written by a model, so it is shown as text. */
function answerSection({ answer, verdict }: ResultFacts): string {
  if (answer === undefined || answer.trim() === '') return '';
  const paragraphs = answer
    .trim()
    .split('\n')
    .slice(0, MAX_ANSWER_LINES)
    .join('\n')
    .split(/\n\s*\n/);
  const shown = paragraphs.map((each) =>
    each
      .split('\n')
      .map((line) => escapeInline(line, 2000))
      .join('  \n'),
  );
  const heading = verdict === 'done' ? 'Answer' : verdict === 'blocked' ? 'Answer so far' : 'Answer, not accepted';
  return `## ${heading}\n\n${shown.join('\n\n')}`;
}

const REPLY_HINTS = {
  answer: (id: string) => ` — answer with ${inlineCode(`oka answer ${id} "…"`)}`,
  approval: (id: string) => ` — answer with ${inlineCode(`oka approve ${id}`)} or ${inlineCode(`oka deny ${id}`)}`,
  nothing: () => '',
  time: () => '',
} as const;

/** Open questions come before the long sections, because the task may be waiting for them. */
function nextSection({ questions, next }: ResultFacts): string {
  const asked = questions.map(({ id, text, ask = 'answer' }) => `- ${escapeInline(text, 1000)}${REPLY_HINTS[ask](id)}`);
  const todo = next.map((each) => `- ${escapeInline(each, 1000)}`);
  return [
    asked.length === 0 ? '' : `## Open questions\n\n${asked.join('\n')}`,
    todo.length === 0 ? '' : `## What you can do\n\n${todo.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function stepsSection({ steps }: ResultFacts): string {
  if (steps.length === 0) return '## What was done\n\nNothing was executed.';
  const shown = steps.slice(0, MAX_LISTED).map((step, index) => formatStep(step, index + 1));
  return `## What was done\n\n${shown.join('\n\n')}${moreLine(steps.length, 'steps')}`;
}

function formatStep(step: ResultStep, number: number): string {
  const notes = [
    step.ms === undefined ? '' : formatDuration(step.ms),
    (step.attempts ?? 1) > 1 ? `${step.attempts} attempts` : '',
    step.calls === undefined ? '' : `${step.calls} ${step.calls === 1 ? 'call' : 'calls'}`,
    step.fallback === true ? 'failed, continued with its fallback' : step.status === 'done' ? '' : step.status,
  ].filter((note) => note !== '');
  const head = `${number}. ${MARKS[step.status]} ${escapeInline(step.title, 200)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  const did = step.did === undefined || step.did.trim() === '' ? [] : [formatAction(step.did)];
  const outputs = [step.error, step.output].filter((text) => text !== undefined && text.trim() !== '');
  const blocks = [...did, ...outputs.map((text) => fenceText(text ?? '', 2000))];
  return [head, ...blocks.map((block) => indentBlock(String(number).length + 2, block))].join('\n\n');
}

const formatAction = (did: string): string =>
  did.includes('\n') || did.length > 200 ? fenceText(did, 2000) : inlineCode(did);

const JUDGED_BY = { check: 'Checked', model: 'Judged by a model', person: 'Confirmed by a person' } as const;

function criteriaSection({ criteria, replaced = [] }: ResultFacts): string {
  if (criteria.length === 0) return '';
  const lines = criteria.map(({ text, holds, evidence, by }) => {
    const seen = evidence === '' ? 'no evidence' : escapeInline(evidence, 1000);
    return `- ${holds ? '✅' : '❌'} ${escapeInline(text, 500)}\n  ${JUDGED_BY[by]}: ${seen}`;
  });
  const gone = replaced.map(
    ({ text, by, reason }) =>
      `- ${inlineCode(text)} was replaced by ${inlineCode(by)}, because it could not be met: ${escapeInline(reason, 500)}`,
  );
  return `## Evidence\n\n${[...lines, ...gone].join('\n')}`;
}

function filesSection(facts: ResultFacts): string {
  const { files, copies = 0, links, undo, artifacts, quarantined = [], run } = facts;
  const all = [
    ...files.created.map((path) => `- new ${formatLink(path, links?.get(path))}`),
    ...files.changed.map((path) => `- changed ${formatLink(path, links?.get(path))}`),
    ...files.removed.map((path) => `- removed ${inlineCode(path)}`),
  ];
  const saved = artifacts.map(
    ({ name, bytes, sha256 }) =>
      `- ${inlineCode(name)}, ${groupDigits(bytes)} bytes, ${inlineCode(sha256.slice(0, 12))}`,
  );
  const parts = [
    all.length === 0
      ? 'No file was changed.'
      : `${all.slice(0, MAX_LISTED).join('\n')}${moreLine(all.length, 'files')}`,
    triggersLine([...files.created, ...files.changed]),
    copies === 0 ? '' : 'Copies are next to this page, in [files](files).',
    all.length === 0 ? '' : undoLine(run, undo),
    saved.length === 0
      ? ''
      : `Saved next to this page or in the artifact store:\n\n${saved.slice(0, MAX_LISTED).join('\n')}${moreLine(saved.length, 'artifacts')}`,
    quarantined.length === 0
      ? ''
      : `⚠️ A secret was found in these, and taken out. They are not next to this page:\n\n${quarantined
          .slice(0, MAX_LISTED)
          .map((path) => `- ${inlineCode(path)}`)
          .join('\n')}${moreLine(quarantined.length, 'artifacts')}`,
  ];
  return `## Files\n\n${parts.filter((part) => part !== '').join('\n\n')}`;
}

/** Files that a person should read before the programs that obey them are used on the desk. */
function triggersLine(paths: readonly string[]): string {
  const found = triggersAmong(paths);
  if (found.length === 0) return '';
  const lines = found.slice(0, MAX_LISTED).map(({ path, why }) => `- ${inlineCode(path)}: ${why}`);
  return `⚠️ These files make other programs run, outside the sandbox. Read them before you go on:\n\n${lines.join('\n')}${moreLine(found.length, 'files')}`;
}

function hostsSection({ hosts }: ResultFacts): string {
  if (hosts.length === 0) return '';
  const shown = hosts.slice(0, MAX_LISTED).map((host) => `- ${inlineCode(host)}`);
  return `## Hosts contacted\n\n${shown.join('\n')}${moreLine(hosts.length, 'hosts')}`;
}

function undoLine(run: string, undo: ResultFacts['undo']): string {
  if (undo === undefined) return '';
  if (!undo.possible) return 'These changes cannot be undone: no snapshot of the desk was saved.';
  const without =
    undo.without.length === 0
      ? ''
      : ` Cannot be restored: ${undo.without
          .slice(0, 10)
          .map((path) => inlineCode(path))
          .join(', ')}.`;
  return `${inlineCode(`oka undo ${run}`)} undoes these changes.${without}`;
}

function costSection({ cost, model, procedure, started, ended }: ResultFacts): string {
  const spent =
    model === null
      ? 'no model was used'
      : `${escapeInline(model, 100)}, ${groupDigits(cost.modelCalls)} model calls, ${groupDigits(cost.tokens)} tokens, $${cost.usd.toFixed(4)}`;
  const replans = cost.replans === 0 ? '' : `, replanned ${cost.replans === 1 ? 'once' : `${cost.replans} times`}`;
  return [
    '## Cost and time',
    '',
    `- ${groupDigits(cost.calls)} tool calls, ${formatDuration(cost.activeMs)} of work${replans}`,
    `- ${spent}`,
    ...(procedure === undefined
      ? []
      : [`- planned from a procedure: ${inlineCode(`oka procedures why ${procedure}`)}`]),
    `- from ${escapeInline(started, 40)} to ${escapeInline(ended, 40)}`,
  ].join('\n');
}

function repeatSection({ run, task, ledger, verdict, corrects }: ResultFacts): string {
  const again =
    verdict === 'blocked'
      ? 'It continues automatically as soon as it gets what it is waiting for.'
      : verdict === 'done'
        ? `To run it again, put ${inlineCode(task)} into the inbox once more. Something is wrong? ${inlineCode(`oka correct ${run} "what is wrong"`)}`
        : `To continue: ${inlineCode(`oka resume ${run}`)}, or put ${inlineCode(task)} into the inbox once more.`;
  return [
    '## Inspect or repeat it',
    '',
    ...(corrects === undefined ? [] : [`- This run corrects ${inlineCode(corrects)}.`]),
    `- Run ${inlineCode(run)}, ledger ${ledger.first} to ${ledger.last}: ${inlineCode(`oka show ${run}`)} shows it step by step.`,
    `- ${again}`,
  ].join('\n');
}

const moreLine = (count: number, what: string): string =>
  count > MAX_LISTED ? `\n\n… and ${count - MAX_LISTED} more ${what}` : '';

const groupDigits = (amount: number): string => String(Math.round(amount)).replaceAll(/\B(?=(\d{3})+$)/g, ',');

function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
