/** Owns: RESULT.md, what a person reads when a task is over, or cannot go on. */
import { code, fenced, indentedBy, inline } from './markdown.ts';

export type ResultStep = {
  id: string;
  title: string;
  status: 'done' | 'failed' | 'skipped' | 'waiting' | 'pending' | 'running';
  /** What was called, such as a command. */
  did?: string;
  attempts?: number;
  ms?: number;
  /** It failed, and the work went on with the fallback that was given. */
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
  /** Moments in UTC, ISO 8601. */
  started: string;
  ended: string;
  steps: readonly ResultStep[];
  criteria: readonly { text: string; holds: boolean; evidence: string; by: 'check' | 'model' | 'person' }[];
  files: { created: readonly string[]; changed: readonly string[]; removed: readonly string[] };
  /** Whether the changes can be taken back, and which files cannot. */
  undo?: { possible: boolean; without: readonly string[] };
  artifacts: readonly { name: string; bytes: number; sha256: string }[];
  cost: { tokens: number; usd: number; calls: number; modelCalls: number; replans: number; activeMs: number };
  /** provider:model; null when none was needed. */
  model: string | null;
  /** The procedure that its plan was made from. */
  procedure?: string;
  /** `ask`: what a person is to say; approval is a yes or no, nothing is what has to be there. */
  questions: readonly { id: string; text: string; ask?: 'answer' | 'approval' | 'nothing' }[];
  /** What a person can do to get it going again. */
  next: readonly string[];
  ledger: { first: number; last: number };
  corrects?: string;
};

const HEADLINES: Readonly<Record<ResultFacts['verdict'], string>> = {
  done: '✅ Done',
  rework: '❌ Not done: the result does not hold',
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

const MOST_LISTED = 200;

export function resultPage(facts: ResultFacts): string {
  const sections = [
    `# ${inline(facts.title, 200) || 'Untitled task'}`,
    verdictPart(facts),
    nextPart(facts),
    stepsPart(facts),
    criteriaPart(facts),
    filesPart(facts),
    costPart(facts),
    redoPart(facts),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function verdictPart({ verdict, reason, criteria }: ResultFacts): string {
  const held = criteria.filter(({ holds }) => holds).length;
  const count = criteria.length === 0 ? '' : ` ${held} of ${criteria.length} criteria hold.`;
  const why = reason
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 20)
    .map((line) => `> ${inline(line, 600)}`);
  return [`**${HEADLINES[verdict]}.**${count}`, ...(why.length === 0 ? [] : [why.join('\n>\n')])].join('\n\n');
}

const HOW = {
  answer: (id: string) => ` — answer with ${code(`oka answer ${id} "…"`)}`,
  approval: (id: string) => ` — say ${code(`oka approve ${id}`)} or ${code(`oka deny ${id}`)}`,
  nothing: () => '',
} as const;

/** Open questions and what to do come before the long parts: somebody may be waiting. */
function nextPart({ questions, next }: ResultFacts): string {
  const asked = questions.map(({ id, text, ask = 'answer' }) => `- ${inline(text, 1000)}${HOW[ask](id)}`);
  const todo = next.map((each) => `- ${inline(each, 1000)}`);
  return [
    asked.length === 0 ? '' : `## Open questions\n\n${asked.join('\n')}`,
    todo.length === 0 ? '' : `## What you can do\n\n${todo.join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function stepsPart({ steps }: ResultFacts): string {
  if (steps.length === 0) return '## What was done\n\nNothing was executed.';
  const shown = steps.slice(0, MOST_LISTED).map((step, index) => stepPart(step, index + 1));
  return `## What was done\n\n${shown.join('\n\n')}${more(steps.length, 'steps')}`;
}

function stepPart(step: ResultStep, number: number): string {
  const notes = [
    step.ms === undefined ? '' : duration(step.ms),
    (step.attempts ?? 1) > 1 ? `${step.attempts} attempts` : '',
    step.fallback === true ? 'failed, went on with its fallback' : step.status === 'done' ? '' : step.status,
  ].filter((note) => note !== '');
  const head = `${number}. ${MARKS[step.status]} ${inline(step.title, 200)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
  const did = step.did === undefined || step.did.trim() === '' ? [] : [didPart(step.did)];
  const said = [step.error, step.output].filter((text) => text !== undefined && text.trim() !== '');
  const blocks = [...did, ...said.map((text) => fenced(text ?? '', 2000))];
  return [head, ...blocks.map((block) => indentedBy(String(number).length + 2, block))].join('\n\n');
}

const didPart = (did: string): string => (did.includes('\n') || did.length > 200 ? fenced(did, 2000) : code(did));

const BY = { check: 'Checked', model: 'Judged by a model', person: 'Seen by a person' } as const;

function criteriaPart({ criteria }: ResultFacts): string {
  if (criteria.length === 0) return '';
  const lines = criteria.map(({ text, holds, evidence, by }) => {
    const seen = evidence === '' ? 'nothing was seen' : inline(evidence, 1000);
    return `- ${holds ? '✅' : '❌'} ${inline(text, 500)}\n  ${BY[by]}: ${seen}`;
  });
  return `## Evidence\n\n${lines.join('\n')}`;
}

function filesPart({ files, undo, artifacts, run }: ResultFacts): string {
  const all = [
    ...files.created.map((path) => `- new ${code(path)}`),
    ...files.changed.map((path) => `- changed ${code(path)}`),
    ...files.removed.map((path) => `- removed ${code(path)}`),
  ];
  const kept = artifacts.map(
    ({ name, bytes, sha256 }) => `- ${code(name)}, ${grouped(bytes)} bytes, ${code(sha256.slice(0, 12))}`,
  );
  const parts = [
    all.length === 0 ? 'No file was changed.' : `${all.slice(0, MOST_LISTED).join('\n')}${more(all.length, 'files')}`,
    all.length === 0 ? '' : undoLine(run, undo),
    kept.length === 0
      ? ''
      : `Kept beside this page or in the store:\n\n${kept.slice(0, MOST_LISTED).join('\n')}${more(kept.length, 'artifacts')}`,
  ];
  return `## Files\n\n${parts.filter((part) => part !== '').join('\n\n')}`;
}

function undoLine(run: string, undo: ResultFacts['undo']): string {
  if (undo === undefined) return '';
  if (!undo.possible) return 'These changes cannot be taken back: no copy of the desk was kept.';
  const without =
    undo.without.length === 0
      ? ''
      : ` Not restorable: ${undo.without
          .slice(0, 10)
          .map((path) => code(path))
          .join(', ')}.`;
  return `${code(`oka undo ${run}`)} takes them back.${without}`;
}

function costPart({ cost, model, procedure, started, ended }: ResultFacts): string {
  const spent =
    model === null
      ? 'no model was used'
      : `${inline(model, 100)}, ${grouped(cost.modelCalls)} model calls, ${grouped(cost.tokens)} tokens, $${cost.usd.toFixed(4)}`;
  const replans = cost.replans === 0 ? '' : `, planned anew ${cost.replans === 1 ? 'once' : `${cost.replans} times`}`;
  return [
    '## Cost and time',
    '',
    `- ${grouped(cost.calls)} tool calls, ${duration(cost.activeMs)} of work${replans}`,
    `- ${spent}`,
    ...(procedure === undefined ? [] : [`- planned from a procedure: ${code(`oka procedures why ${procedure}`)}`]),
    `- from ${inline(started, 40)} to ${inline(ended, 40)}`,
  ].join('\n');
}

function redoPart({ run, task, ledger, verdict, corrects }: ResultFacts): string {
  const again =
    verdict === 'blocked'
      ? 'It goes on by itself as soon as it has what it waits for.'
      : verdict === 'done'
        ? `Do it again: put ${code(task)} into the inbox once more. Not content? ${code(`oka correct ${run} "what is wrong"`)}`
        : `Go on: ${code(`oka resume ${run}`)}, or put ${code(task)} into the inbox once more.`;
  return [
    '## How to look closer and redo it',
    '',
    ...(corrects === undefined ? [] : [`- It corrects run ${code(corrects)}.`]),
    `- Run ${code(run)}, ledger ${ledger.first} to ${ledger.last}: ${code(`oka show ${run}`)} tells it step by step.`,
    `- ${again}`,
  ].join('\n');
}

const more = (count: number, what: string): string =>
  count > MOST_LISTED ? `\n\n… and ${count - MOST_LISTED} more ${what}` : '';

const grouped = (amount: number): string => String(Math.round(amount)).replaceAll(/\B(?=(\d{3})+$)/g, ',');

function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
