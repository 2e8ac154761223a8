/** The page of one procedure: what it is for, how it stands, what it does, and what speaks for that. */
import type { Page, PageLine } from '../learning.ts';
import { plain } from '../learning.ts';
import type { Parameter, ProcedureNumbers } from '../../schema/procedure.ts';
import { type Execution, pitfallsIn } from './execution.ts';
import { unreadable } from './fill.ts';
import type { KnownProcedure } from './known.ts';

const MOST_RUNS = 30;

export function pageOf(known: KnownProcedure, executions: readonly Execution[]): Page {
  const { procedure } = known;
  const lines: PageLine[] = [
    plain(`# ${oneLine(procedure.title, 200)}`),
    plain(''),
    { text: statusLine(known), mark: `procedure:${procedure.id}` },
    plain(''),
    ...section('When it applies', [...fenced(procedure.task)]),
    ...section('Parameters', parameterLines(known)),
    ...section('Steps', numbered(procedure.steps)),
    ...section('Known pitfalls', bullets(pitfallsIn(executions), 'None so far.')),
    ...section(
      'Validation checklist',
      bullets(
        procedure.criteria.map(({ text }) => text),
        'Every step ends well.',
      ),
    ),
    ...section('Score', scoreLines(known)),
    ...section('Evidence', evidenceLines(known, executions)),
  ];
  return { lines };
}

function statusLine({ procedure: { id, version }, status, forced, moves }: KnownProcedure): string {
  const force = forced ? ', **put there by a person, above the numbers**' : '';
  const why = moves.at(-1)?.reason;
  return `**${status}**${force}, version ${version}, \`${id}\`${why === undefined ? '' : `: ${oneLine(why, 500)}`}`;
}

const section = (title: string, lines: readonly string[]): PageLine[] =>
  [`## ${title}`, '', ...lines, ''].map((line) => plain(line));

/** A fence longer than any in the text. */
function fenced(text: string): string[] {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, ...text.split('\n'), fence];
}

function parameterLines({ procedure }: KnownProcedure): string[] {
  if (procedure.parameters.length === 0) return ['Nothing differs.'];
  const lost = new Set(unreadable(procedure));
  return procedure.parameters.map((parameter) => {
    const examples = parameter.examples.map((each) => code(each)).join(', ');
    const from = lost.has(parameter.name) ? 'not told by the task: a planner has to find it' : sourceOf(parameter);
    return `- \`${parameter.name}\` (${parameter.kind}), ${from}${examples === '' ? '' : `; such as ${examples}`}`;
  });
}

function sourceOf({ from, of = '' }: Parameter): string {
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

const numbered = (steps: readonly string[]): string[] => steps.map((step, at) => `${at + 1}. ${code(step)}`);

const bullets = (texts: readonly string[], none: string): string[] =>
  texts.length === 0 ? [none] : texts.map((text) => `- ${oneLine(text, 1000)}`);

function scoreLines({ moves }: KnownProcedure): string[] {
  const numbers = moves.at(-1)?.numbers;
  if (numbers === undefined) return ['Not judged yet.'];
  return [
    `- ${numbers.successes} successful executions that do not depend on each other`,
    `- with it: ${sideOf(numbers.with)}`,
    `- without it: ${sideOf(numbers.without)}`,
    `- compared: ${numbers.wins} better, ${numbers.losses} worse; evidence ${round(numbers.e_value)}`,
    `- recent contradictions: ${numbers.contradictions}`,
    `- last validated: ${numbers.last_validated ?? 'never'}`,
  ];
}

function sideOf({ runs, fine, seconds, tokens }: ProcedureNumbers['with']): string {
  const told = [seconds === null ? '' : `${round(seconds)} s`, tokens === null ? '' : `${round(tokens)} tokens`];
  return [`${fine} of ${runs} runs fine`, ...told.filter((each) => each !== '')].join(', ');
}

const round = (value: number): string => String(Math.round(value * 100) / 100);

function evidenceLines({ procedure }: KnownProcedure, executions: readonly Execution[]): string[] {
  const later = new Map(executions.map((each) => [each.run, each]));
  const made = procedure.evidence.map(({ run, seq }) => {
    const lost =
      run !== null && later.get(run)?.fine === false ? ', which counts no more: it was not fine after all' : '';
    return `- made from ${run ?? 'no run'} (event ${seq})${lost}`;
  });
  const tried = executions
    .filter((each) => each.procedure?.id === procedure.id)
    .slice(-MOST_RUNS)
    .map(
      ({ run, seq, procedure: by, fine }) => `- ${armOf(by?.arm)} ${run} (event ${seq}): ${fine ? 'fine' : 'not fine'}`,
    );
  return [...made, ...tried];
}

function armOf(arm: NonNullable<Execution['procedure']>['arm'] | undefined): string {
  switch (arm) {
    case 'used':
      return 'used in';
    case 'trial':
      return 'tried in';
    case 'held_back':
      return 'held back in';
    case 'offered':
    case undefined:
      return 'shown to the planner in';
  }
}

/** Nothing in it can end the code, or begin a line of its own. */
function code(text: string): string {
  const line = oneLine(text, 1000);
  const ticks = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((each) => each.length)) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
