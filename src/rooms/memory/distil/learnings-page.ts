/** brain/LEARNINGS-<topic>.md: the known facts of a topic, each with its evidence. */
import type { Page, PageLine } from '../../../core/schema/learning-part.ts';
import { plain } from '../../../kit/learning/learning.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { toFactMark } from '../../../kit/learning/own-fact.ts';
import { toNote, evidenceNote, escapeText, renderSection } from '../../../kit/learning/page-prose.ts';
import { type Kind, kindOfFact } from './fact-finding.ts';
import { type StoredFact, factsUnder, supersededUnder } from './fact-rows.ts';

const NAME = /^brain\/LEARNINGS-([a-z0-9-]{1,40})\.md$/;

export function learningsPage(page: string, rows: Rows): Page | null | undefined {
  const topic = NAME.exec(page)?.[1];
  if (topic === undefined) return undefined;
  const found = [...factsUnder(rows, topic)].toSorted(byWeight);
  const past = supersededUnder(rows, topic);
  if (found.length === 0 && past.length === 0) return null;
  const sections = SECTIONS.flatMap(({ kind, title }) => {
    const lines = found.filter(({ fact }) => sectionOfFact(fact.id, topic) === kind).map(factLine);
    return renderSection(title, lines);
  });
  return {
    lines: [plain(`# ${pageTitle(topic)}`), ...sections, ...renderSection('No longer valid', past.map(supersededLine))],
  };
}

const SECTIONS: readonly { kind: Kind; title: string }[] = [
  { kind: 'standing', title: 'Always' },
  { kind: 'preference', title: 'Preferences' },
  { kind: 'lesson', title: 'Lessons' },
  { kind: 'fact', title: 'Facts' },
  { kind: 'environment', title: 'Environment' },
  { kind: 'note', title: 'Seen more than once' },
];

const sectionOfFact = (id: string, topic: string): Kind => (topic === 'standing' ? 'standing' : kindOfFact(id));

const pageTitle = (topic: string): string =>
  topic === 'standing' ? 'Standing instructions' : `Learned: ${topic.replaceAll('-', ' ')}`;

const byWeight = (a: StoredFact, b: StoredFact): number =>
  b.fact.importance - a.fact.importance || firstSeq(a) - firstSeq(b) || (a.fact.text < b.fact.text ? -1 : 1);

const firstSeq = ({ fact }: StoredFact): number => fact.evidence[0]?.seq ?? 0;

function factLine({ fact, reworded }: StoredFact): PageLine {
  const until = fact.expires === undefined ? '' : toNote(`until ${lastValidDay(fact.expires)}`);
  return {
    text: `- ${escapeText(reworded ?? fact.text, MAX_LINE_LENGTH)}${evidenceNote(fact.evidence)}${until}`,
    mark: toFactMark(fact.id),
  };
}

function supersededLine({ fact, reworded, since }: StoredFact): PageLine {
  const until = toNote(`until ${since.slice(0, 10)}`);
  return plain(`- ~~${escapeText(reworded ?? fact.text, MAX_LINE_LENGTH)}~~${evidenceNote(fact.evidence)}${until}`);
}

const MAX_LINE_LENGTH = 4000;

/** A fact that expires at midnight is valid until the day before. */
const lastValidDay = (expires: string): string => new Date(Date.parse(expires) - 1).toISOString().slice(0, 10);
