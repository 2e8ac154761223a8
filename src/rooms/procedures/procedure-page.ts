/** The page of one procedure: its purpose, status, steps and evidence. */
import type { Page, PageLine } from '../../core/schema/learning-part.ts';
import { plain } from '../../kit/learning/learning.ts';
import type { Parameter, ProcedureNumbers } from '../../core/schema/procedure.ts';
import { type Execution, describePitfalls } from '../../kit/learning/execution-record.ts';
import { unreadableParameters } from './fill-procedure.ts';
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';

const MAX_RUNS = 30;

export function renderProcedurePage(known: KnownProcedure, executions: readonly Execution[]): Page {
  const { procedure } = known;
  const lines: PageLine[] = [
    plain(`# ${toOneLine(procedure.title, 200)}`),
    plain(''),
    { text: statusLine(known), mark: `procedure:${procedure.id}` },
    plain(''),
    ...renderSection('When it applies', [...fenceText(procedure.task)]),
    ...renderSection('Parameters', parameterLines(known)),
    ...renderSection('Steps', numberSteps(procedure.steps)),
    ...renderSection('Known pitfalls', toBullets(describePitfalls(executions), 'None so far.')),
    ...renderSection(
      'Validation checklist',
      toBullets(
        procedure.criteria.map(({ text }) => text),
        'Every step succeeds.',
      ),
    ),
    ...renderSection('Score', scoreLines(known)),
    ...renderSection('Evidence', evidenceLines(known, executions)),
  ];
  return { lines };
}

function statusLine({ procedure: { id, version }, status, forced, moves }: KnownProcedure): string {
  const force = forced ? ', **set by a person, overriding the numbers**' : '';
  const why = moves.at(-1)?.reason;
  return `**${status}**${force}, version ${version}, \`${id}\`${why === undefined ? '' : `: ${toOneLine(why, 500)}`}`;
}

const renderSection = (title: string, lines: readonly string[]): PageLine[] =>
  [`## ${title}`, '', ...lines, ''].map((line) => plain(line));

/** Uses a fence longer than any in the text. */
function fenceText(text: string): string[] {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...text.split('\n'), fence];
}

function parameterLines({ procedure }: KnownProcedure): string[] {
  if (procedure.parameters.length === 0) return ['Nothing differs.'];
  const lost = new Set(unreadableParameters(procedure));
  return procedure.parameters.map((parameter) => {
    const examples = parameter.examples.map((each) => toInlineCode(each)).join(', ');
    const from = lost.has(parameter.name)
      ? 'not stated in the task: a planner has to find it'
      : describeSource(parameter);
    return `- \`${parameter.name}\` (${parameter.kind}), ${from}${examples === '' ? '' : `; such as ${examples}`}`;
  });
}

function describeSource({ from, of = '' }: Parameter): string {
  switch (from) {
    case 'task':
      return 'read from the task';
    case 'today':
      return 'the day of the run';
    case 'basename':
      return `the file name of \`${of}\``;
    case 'stem':
      return `the file name of \`${of}\` without its ending`;
    case 'folder':
      return `the folder of \`${of}\``;
  }
}

const numberSteps = (steps: readonly string[]): string[] => steps.map((step, at) => `${at + 1}. ${toInlineCode(step)}`);

const toBullets = (texts: readonly string[], none: string): string[] =>
  texts.length === 0 ? [none] : texts.map((text) => `- ${toOneLine(text, 1000)}`);

function scoreLines({ moves }: KnownProcedure): string[] {
  const numbers = moves.at(-1)?.numbers;
  if (numbers === undefined) return ['Not judged yet.'];
  return [
    `- ${numbers.successes} independent successful executions`,
    `- with it: ${describeSide(numbers.with)}`,
    `- without it: ${describeSide(numbers.without)}`,
    `- compared: ${numbers.wins} better, ${numbers.losses} worse; evidence ${round(numbers.e_value)}`,
    `- recent contradictions: ${numbers.contradictions}`,
    `- last validated: ${numbers.last_validated ?? 'never'}`,
  ];
}

function describeSide({ runs, fine, seconds, tokens }: ProcedureNumbers['with']): string {
  const costs = [seconds === null ? '' : `${round(seconds)} s`, tokens === null ? '' : `${round(tokens)} tokens`];
  return [`${fine} of ${runs} runs fine`, ...costs.filter((each) => each !== '')].join(', ');
}

const round = (value: number): string => String(Math.round(value * 100) / 100);

function evidenceLines({ procedure }: KnownProcedure, executions: readonly Execution[]): string[] {
  const later = new Map(executions.map((each) => [each.run, each]));
  const made = procedure.evidence.map(({ run, seq }) => {
    const lost =
      run !== null && later.get(run)?.fine === false
        ? ', which no longer counts: it was corrected or undone later'
        : '';
    return `- made from ${run ?? 'no run'} (event ${seq})${lost}`;
  });
  const tried = executions
    .filter((each) => each.procedure?.id === procedure.id)
    .slice(-MAX_RUNS)
    .map(
      ({ run, seq, procedure: by, fine }) =>
        `- ${describeArm(by?.arm)} ${run} (event ${seq}): ${fine ? 'fine' : 'not fine'}`,
    );
  const shared = procedure.from === undefined ? [] : [`- shared by ${procedure.from}, a member of the fleet`];
  return [...shared, ...made, ...tried];
}

function describeArm(arm: NonNullable<Execution['procedure']>['arm'] | undefined): string {
  switch (arm) {
    case 'used':
      return 'used in';
    case 'trial':
      return 'tried in';
    case 'held_back':
      return 'not used for comparison in';
    case 'offered':
    case undefined:
      return 'shown to the planner in';
  }
}

/** Nothing in the text can end the code span or start a new line. */
function toInlineCode(text: string): string {
  const line = toOneLine(text, 1000);
  const ticks = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((each) => each.length)) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function toOneLine(text: string, most: number): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
