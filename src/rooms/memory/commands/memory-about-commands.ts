/** What oka knows about its user, and how that changed. */
import { describeKnowledge } from '../describe-knowledge.ts';
import type {
  Habit,
  KnowledgeChange,
  KnowledgeKind,
  KnownLine,
  MemoryAbout,
  Origin,
} from '../../../core/schema/knowledge.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { listChanges, type MemoryChange } from '../memory-change.ts';
import { readEvents } from '../../../core/ledger/read-events.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { PackManifest } from '../../../core/schema/memory.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { numberOr, text } from '../../../kit/cli/options.ts';

const DAY_MS = 86_400_000;

type Group = { person: string | null; lines: KnownLine[] };

const HEADINGS: Readonly<Record<KnowledgeKind, string>> = {
  standing: 'Standing instructions, for every task',
  preference: 'Preferences',
  fact: 'Facts',
  lesson: 'Lessons',
  environment: 'This machine',
  note: 'Seen in several tasks',
};

type ShownPack = PackManifest & { seq: number; run: string | null; at: string };

type PackData = { run: string; packs: ShownPack[] };

export const commands: Commands = {
  'memory about': command({
    summary: 'Show what oka knows about you, why, and how to remove it',
    options: {
      days: numberOr(7, 'N', 'Show what changed in the last N days (default 7).'),
      namespace: text('NAME', 'Only of this namespace.'),
    },
    example: 'oka memory about',
    run: memoryAbout,
    render: (about, terminal) => {
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
    },
  }),
  'memory changes': command({
    summary: 'List what maintenance has learned lately, each with the number of the change',
    options: { limit: numberOr(20, 'N', 'Show the last N (default 20; 0 for all).') },
    example: 'oka memory changes',
    run: async (call) => answer({ changes: await listChanges(call, call.options.limit) }),
    render: ({ changes }, terminal) => {
      if (changes.length === 0) return 'Maintenance has learned nothing yet. Run a pass: oka maintain --once\n';
      return changes.map((change) => renderChange(change, terminal)).join('');
    },
  }),
  'memory pack': command({
    summary: 'Show what a node was given of what is remembered, and what was left out',
    operands: '<run> [node]',
    example: 'oka memory pack report-1a2b3c4d plan',
    run: memoryPack,
    render: ({ packs }, terminal) => packs.map((pack) => renderPack(pack, terminal)).join(''),
  }),
};

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

async function memoryAbout(call: Call<{ days: number; namespace: string | undefined }>): Promise<Answer<MemoryAbout>> {
  await requireHome(call.home);
  const { days, namespace } = call.options;
  const now = Date.now();
  const since = new Date(Math.max(0, now - days * DAY_MS)).toISOString();
  return answer(await readViews(call, (rows) => describeKnowledge(rows, call.home.ledgers, { since, now, namespace })));
}

function renderChange({ change, at, text, undone }: MemoryChange, { dim, width, toMinute }: Terminal): string {
  const head = `${String(change).padStart(6)}  ${toMinute(at)}  `;
  const about = fitText(`${undone ? '(undone) ' : ''}${text}`, width - head.length);
  return `${dim(head)}${undone ? dim(about) : about}\n`;
}

function renderPack(pack: ShownPack, { bold, dim, width }: Terminal): string {
  const { role, node, tokens, cap, counter, by, items, dropped, more, seq } = pack;
  const head = bold(`${role}${node === null ? '' : ` at ${node}`}`);
  const lines = [
    `${head}  ${tokens} of ${count(cap, 'token')} (${counter}), by ${by}, event ${seq}`,
    `  ${dim(fitText(plainText(pack.query), width - 2))}`,
    ...items.map((item) => `  in    ${itemText(item)}`),
    ...dropped.map((item) => `  ${dim(`out   ${itemText(item)}  ${item.why}`)}`),
    ...(more > 0 ? [`  ${dim(`and ${more} more were left out`)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function itemText({ id, section, score, tokens, evidence }: PackManifest['items'][number]): string {
  const from = evidence
    .map(({ seq }) => seq)
    .slice(0, 3)
    .join(',');
  const name = fitText(plainText(id), 32).padEnd(32);
  return `${section.padEnd(10)} ${score.toFixed(2)} ${String(tokens).padStart(5)}  ${name} ${from}`;
}

/** What was packed into the prompts of a run, or of one node of it. */
async function memoryPack(call: Call): Promise<Answer<PackData>> {
  const { home, operands } = call;
  const [given, node] = operands;
  if (given === undefined || operands.length > 2) throw new OkaError('usage', 'say which run, and which node of it');
  const id = await findRunName(call, given);
  const packs: ShownPack[] = [];
  for await (const event of readEvents(home.ledgers.run, { run: id, type: 'context.packed' }))
    if (event.type === 'context.packed' && (node === undefined || event.data.node === node))
      packs.push({ ...event.data, seq: event.seq, run: event.run, at: event.at });
  if (packs.length > 0) return answer({ run: id, packs });
  throw new OkaError('refused', `nothing was packed for ${node === undefined ? '' : `${node} of `}"${id}"`, {
    fix: 'List the runs: oka runs',
  });
}
