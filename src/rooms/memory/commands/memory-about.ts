import { describeKnowledge } from '../describe-knowledge.ts';
import type {
  Habit,
  KnowledgeChange,
  KnowledgeKind,
  KnownLine,
  MemoryAbout,
  Origin,
} from '../../../core/schema/knowledge.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

const DAY_MS = 86_400_000;

export async function run(call: Call<{ days: number; namespace: string | undefined }>): Promise<Answer<MemoryAbout>> {
  await requireHome(call.home);
  const { days, namespace } = call.options;
  const now = Date.now();
  const since = new Date(Math.max(0, now - days * DAY_MS)).toISOString();
  return answer(await readViews(call, (rows) => describeKnowledge(rows, call.home.ledgers, { since, now, namespace })));
}

export function render(about: MemoryAbout, terminal: Terminal): string {
  const { known, habits, changes, since } = about;
  if (known.length + habits.length + changes.length === 0)
    return 'oka knows nothing about you yet. It learns from tasks, answers and corrections; oka maintain --once learns now.\n';
  const day = terminal.toMinute(since).slice(0, 10);
  const sections = [
    `oka knows ${count(known.length, 'thing')} about you and does ${count(habits.length, 'kind')} of tasks by itself.\n`,
    ...groupByPerson(known).map((group) => renderGroup(group, terminal)),
    renderSection(
      'By itself, without a plan of a model',
      habits.map((habit) => habitLines(habit, terminal)),
      terminal,
    ),
    renderSection(
      `Changed since ${day}`,
      changes.map((change) => changeLines(change, terminal)),
      terminal,
    ),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

type Group = { person: string | null; lines: KnownLine[] };

/** One group where all of it has one origin; else one for each person who is named, and one for the rest. */
function groupByPerson(known: readonly KnownLine[]): Group[] {
  const people = new Set(known.map(({ why }) => why.person));
  if (people.size < 2) return [{ person: null, lines: [...known] }];
  return [...Map.groupBy(known, ({ why }) => why.person)].map(([person, lines]) => ({
    person: person ?? 'you',
    lines,
  }));
}

function renderGroup({ person, lines }: Group, terminal: Terminal): string {
  const from = person === null ? '' : ` (from ${plainText(person)})`;
  const topics = Map.groupBy(lines, ({ kind, namespace }) => headingOf(kind, namespace));
  return [...topics]
    .map(([heading, each]) =>
      renderSection(
        `${heading}${from}`,
        each.map((line) => knownLines(line, terminal)),
        terminal,
      ),
    )
    .join('\n');
}

const HEADINGS: Readonly<Record<KnowledgeKind, string>> = {
  standing: 'Standing instructions, for every task',
  preference: 'Preferences',
  fact: 'Facts',
  lesson: 'Lessons',
  environment: 'This machine',
  note: 'Seen in several tasks',
};

const headingOf = (kind: KnowledgeKind, namespace: string): string =>
  kind === 'standing' || namespace === 'general' ? HEADINGS[kind] : `${HEADINGS[kind]}: ${plainText(namespace)}`;

function renderSection(heading: string, entries: readonly string[][], { bold }: Terminal): string {
  if (entries.length === 0) return '';
  return `${[bold(heading), ...entries.flat().map((line) => `  ${line}`)].join('\n')}\n`;
}

function knownLines({ text, why, forget, expires }: KnownLine, terminal: Terminal): string[] {
  const until = expires === null ? '' : ` (until ${terminal.toMinute(expires)})`;
  return [`${plainText(text)}${until}`, ...notes({ why: describeOrigin(why, terminal), forget }, terminal)];
}

function habitLines({ title, since, runs, why, forget }: Habit, terminal: Terminal): string[] {
  const learned = `learned from ${count(runs.length, 'task')}${since === null ? '' : `, used since ${terminal.toMinute(since)}`}`;
  return [plainText(title), ...notes({ why: `${learned}: ${plainText(why)}`, forget }, terminal)];
}

function changeLines(change: KnowledgeChange, terminal: Terminal): string[] {
  switch (change.change) {
    case 'learned':
      return [
        `learned: ${plainText(change.text)}`,
        ...notes({ why: describeOrigin(change.why, terminal), forget: change.forget }, terminal),
      ];
    case 'superseded': {
      const after = change.text === null ? 'something that was forgotten, too' : `“${plainText(change.text)}”`;
      return [
        `superseded: “${plainText(change.before)}” by ${after}`,
        ...notes({ why: describeOrigin(change.why, terminal), undo: change.undo }, terminal),
      ];
    }
    case 'forgotten': {
      const what = change.text === null ? change.id : `“${plainText(change.text)}”`;
      return [`forgotten: ${what}`, ...notes({ why: `${change.reason}, ${terminal.toMinute(change.at)}` }, terminal)];
    }
    case 'habit': {
      const what = change.to === 'promoted' ? 'now done by itself' : 'no longer done by itself';
      return [
        `${what}: ${plainText(change.title)}`,
        ...notes({ why: plainText(change.reason), undo: change.undo }, terminal),
      ];
    }
  }
}

function describeOrigin({ text, at, run: id, more }: Origin, { toMinute }: Terminal): string {
  const when = at === null ? '' : `, ${toMinute(at)}`;
  const others = more === 0 ? '' : `, and ${count(more, 'earlier event')}`;
  return `${plainText(text)}${when}${others}${id === null ? '' : ` (oka show ${id})`}`;
}

function notes(given: Readonly<Record<string, string | null>>, { dim }: Terminal): string[] {
  return Object.entries(given).flatMap(([name, text]) => (text === null ? [] : [dim(`  ${name}: ${text}`)]));
}
