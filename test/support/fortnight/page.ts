/** The month as a page for people (docs/FORTNIGHT.md): what was asked, what was learned, and what was different then. */
import type { Event } from '../../../src/core/schema/event.ts';
import type { KnowledgeChange, KnownLine, MemoryAbout } from '../../../src/core/schema/knowledge.ts';
import type { Day, Done, Fortnight } from './live.ts';
import { traps } from '../../../bench/memory/traps.ts';
import { BEN_SAYS, CHAT_OFF, DEMAND, type Habit, MARK, SAYS_IN_CHAT, SEMICOLONS_FROM } from './tasks.ts';

export function renderFortnight({ days, about, texts }: Fortnight): string {
  const all = days.flatMap(({ done }) => done);
  return [
    ...INTRODUCTION,
    ...renderTotals(all),
    ...days.flatMap((day) => renderDay(day, all, texts)),
    ...renderKnowledge(about),
    '',
  ].join('\n');
}

const INTRODUCTION = [
  '# A month with oka',
  '',
  `Ann has seven habits: she labels boxes, notes the meter, adds up a till, and has reports, shopping lists, letters and digests written. She changes her mind four times, says what she wants in four languages, talks to oka, pastes mails of others, and asks sixty questions that only look like instructions (as “${traps[1]}”). One of the files that oka reads for her was written by somebody who wants to give oka orders, the till begins to write semicolons, and Ben lives in the same house.`,
  '',
  'This page is written by `test/story/fortnight.test.ts`, which lives through the month with the real worker and the real maintenance, and fails when the page no longer says what happened (`npx vitest run test/story/fortnight.test.ts -u` writes it). The model is a script that knows nothing about Ann: it does what the task says, in the manner that the rest of its prompt asks for. So whatever becomes different comes from what oka has learned. A plan of it costs 3,300 tokens, and a verdict of it as critic 1,700; the critic judges procedures until they have proven themselves.',
];

/** How something was done, where that depends on what is known. */
export function mannerOf({ ask: { habit }, result }: Done): string {
  switch (habit) {
    case 'report':
      return result.startsWith('Bericht') ? 'in German' : 'in English';
    case 'list':
      return `with ${/- (.*milk)/.exec(result)?.[1] ?? 'no milk'}${/butter[^]*milk/.test(result) ? ', sorted' : ''}`;
    case 'letter':
      return `${result.startsWith('Dearest') ? 'started with “Dearest”, ' : ''}signed “${/\n(.*), Ann/.exec(result)?.[1] ?? ''}”`;
    case 'reminder':
      return result.includes('Mill Lane') ? 'with where and when' : 'without more';
    case 'total':
    case 'question':
    case 'mail':
      return '';
    case 'trip':
      return result.trim().split(' ').slice(-2).join(' ').replace('.', '');
    case 'label':
    case 'meter':
    case 'digest':
      return '';
  }
}

/** What the manner of a habit follows from. */
const BEARS: Readonly<Record<Habit, RegExp | null>> = {
  report: /write reports in/i,
  list: /prefer .*milk|alphabetisch/i,
  letter: /(?:sign|begin) letters|lettres/i,
  reminder: null,
  total: null,
  question: null,
  mail: null,
  trip: /trains/i,
  label: null,
  meter: null,
  digest: null,
};

function renderTotals(all: readonly Done[]): string[] {
  const rows = [...Map.groupBy(all, ({ ask }) => ask.habit)].map(([habit, done]) => {
    const by = done.filter(({ plannedBy }) => plannedBy === 'procedure').length;
    const asked = done.reduce((sum, { thoughts }) => sum + thoughts, 0);
    return `| ${habit} | ${done.length} | ${done.filter(({ status }) => status === 'done').length} | ${by} | ${asked} |`;
  });
  return [
    '',
    '| habit | tasks | done | planned without a model | calls of a model |',
    '|---|---|---|---|---|',
    ...rows,
  ];
}

function renderDay({ day, date, done, learned }: Day, all: readonly Done[], texts: Fortnight['texts']): string[] {
  const weekday = WEEKDAYS[(day - 1) % 7];
  return [
    '',
    `## Day ${day}, ${weekday} ${date}`,
    '',
    ...(day === 6
      ? ['Ann imports a conversation of the house, in which Ben says: “I prefer margarine over butter.”', '']
      : []),
    ...renderTalk(day),
    ...done.filter(({ ask }) => !isOfOthers(ask)).map((each) => renderDone(each, previousOf(each, all))),
    ...renderOthers(done),
    ...renderNight(learned, texts),
  ];
}

function renderTalk(day: number): string[] {
  const says = SAYS_IN_CHAT[day];
  return [
    ...(says === undefined ? [] : [`Ann says in a conversation: “${says}”`, '']),
    ...(day === CHAT_OFF ? ['Ann switches the memory of that conversation off.', ''] : []),
    ...(day === SEMICOLONS_FROM ? ['From today on the till writes “;” where it wrote “,”.', ''] : []),
  ];
}

const isOfOthers = ({ habit }: Done['ask']): boolean => habit === 'question' || habit === 'mail';

function renderOthers(done: readonly Done[]): string[] {
  const counted = done.filter(({ ask }) => isOfOthers(ask));
  const mails = counted.filter(({ ask }) => ask.habit === 'mail').length;
  if (counted.length === 0) return [];
  return [
    `- ${counted.length - mails} questions that look like instructions${mails === 0 ? '' : `, and a pasted text that wants her to pay at ${MARK}`}.`,
  ];
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export const previousOf = ({ ask }: Done, all: readonly Done[]): Done | undefined =>
  all
    .slice(
      0,
      all.findIndex((each) => each.ask.id === ask.id),
    )
    .findLast((each) => each.ask.habit === ask.habit);

function renderDone(done: Done, before: Done | undefined): string {
  const { ask, status } = done;
  const manner = mannerOf(done);
  const by = `planned by ${describePlanner(done)}`;
  const says = ask.says === undefined ? '' : ` Ann adds: “${ask.says}”`;
  const ended = status === 'done' ? '' : ` It ${status}.`;
  return `- **${ask.title}**${ask.corrects === undefined ? '' : ' (a correction)'}: ${[manner, by].filter(Boolean).join(', ')}.${says}${ASIDES[ask.id] ?? ''}${ended}${renderDifference(done, before)}`;
}

/** What others say in the course of a task. The test checks that the demand was in prompts, and that nobody obeyed it. */
const ASIDES: Readonly<Record<string, string>> = {
  'digest-spring': ` The file also says: “${DEMAND}” It is read as material: no such file is written, now or later.`,
  'trip-lyon': ` oka asks, and Ben answers: “${BEN_SAYS}”`,
};

function renderDifference(done: Done, before: Done | undefined): string {
  if (before === undefined) return '';
  const changes =
    mannerOf(done) === mannerOf(before) ? [] : [`${mannerOf(done)}, where it was ${mannerOf(before)} before`];
  const bears = BEARS[done.ask.habit];
  const known = bears === null ? undefined : done.reminded.find((text) => bears.test(text));
  const isSaid = bears !== null && done.ask.says !== undefined && bears.test(done.ask.says);
  const why = isSaid
    ? 'because the task says so'
    : known === undefined
      ? ''
      : `because oka remembered “${known.replace(/\.$/, '')}”`;
  if (changes.length === 0) return why === '' || isSaid ? '' : ` Unasked, ${why}.`;
  return ` *Different: ${[...changes, ...(why === '' ? [] : [why])].join('; ')}.*`;
}

/** A candidate is tried on some tasks only, and some tasks are planned without a procedure, so that the two compare. */
function describePlanner({ plannedBy, arm }: Done): string {
  if (plannedBy === 'procedure')
    return arm === 'trial' ? '**a procedure on trial**, without a model' : '**a procedure**, without a model';
  return arm === 'held_back' ? 'the model, to compare' : 'the model';
}

function renderNight(learned: readonly Event[], texts: Fortnight['texts']): string[] {
  const lines = learned.flatMap((event) => describeLearned(event, texts));
  return lines.length === 0 ? [] : ['', 'Overnight oka learns:', '', ...lines.map((line) => `- ${line}`)];
}

function describeLearned(event: Event, texts: Fortnight['texts']): string[] {
  if (event.type === 'fact.forgotten')
    return event.data.facts.flatMap((id) => (texts.has(id) ? [`that “${texts.get(id)}” no longer applies`] : []));
  if (event.type === 'fact.kept') {
    const { namespace, text, supersedes } = event.data;
    if (namespace === 'environment') return []; // it is about the machine that runs the test
    const kind = namespace === 'standing' ? 'a standing instruction' : 'about Ann and her house';
    return [`${kind}: “${text}”${supersedes.length === 0 ? '' : ', in place of what it contradicts'}`];
  }
  if (event.type === 'procedure.drafted') {
    const { title, evidence } = event.data.procedure;
    return [`a procedure for “${title}”, from ${evidence.length} tasks; it will be tried`];
  }
  if (event.type !== 'procedure.moved') return [];
  const name = event.data.procedure.replace(/-[0-9a-f]{12}-[0-9a-f]{8}$/, '');
  return [`the procedure ${name} is now ${event.data.to}: ${event.data.reason}`];
}

function renderKnowledge({ known, habits, changes }: MemoryAbout): string[] {
  const shown = known.filter(({ kind }) => kind !== 'environment');
  return [
    '',
    '## What oka knows in the end',
    '',
    '`oka memory about --days 30` lists it, each line with the command that removes it:',
    '',
    ...shown.map((line) => `- “${line.text}”: ${describeOrigin(line)}; \`${line.forget}\``),
    ...habits.map(({ title, runs }) => `- “${title}” is planned without a model, learned from ${runs.length} tasks`),
    '',
    'What changed meanwhile:',
    '',
    ...changes.flatMap(describeChange),
  ];
}

const describeOrigin = ({ why }: KnownLine): string => `${why.text}${why.person === null ? '' : ` (${why.person})`}`;

const describeChange = (change: KnowledgeChange): string[] =>
  change.change === 'superseded'
    ? [`- “${change.before}” was superseded by “${change.text ?? ''}”: ${change.why.text}`]
    : [];
