/** brain/LEARNINGS-<topic>.md: what is believed, each line with the events it rests on. */
import { type Page, type PageLine, plain } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { markOfFact } from '../pages/own-fact.ts';
import { aside, evidenced, said, section } from '../pages/prose.ts';
import { type Kind, kindOf } from './finding.ts';
import { type Held, heldUnder, pastUnder } from './held.ts';

const NAME = /^brain\/LEARNINGS-([a-z0-9-]{1,40})\.md$/;

export function learningsPage(page: string, book: Rows): Page | null | undefined {
  const topic = NAME.exec(page)?.[1];
  if (topic === undefined) return undefined;
  const held = [...heldUnder(book, topic)].toSorted(byWeight);
  const past = pastUnder(book, topic);
  if (held.length === 0 && past.length === 0) return null;
  const sections = SECTIONS.flatMap(({ kind, title }) => {
    const lines = held.filter(({ fact }) => sectionOf(fact.id, topic) === kind).map(lineOf);
    return section(title, lines);
  });
  return { lines: [plain(`# ${titleOf(topic)}`), ...sections, ...section('No longer so', past.map(pastLine))] };
}

const SECTIONS: readonly { kind: Kind; title: string }[] = [
  { kind: 'standing', title: 'Always' },
  { kind: 'preference', title: 'Preferences' },
  { kind: 'lesson', title: 'Lessons' },
  { kind: 'fact', title: 'Facts' },
  { kind: 'environment', title: 'What is there' },
  { kind: 'note', title: 'Seen more than once' },
];

const sectionOf = (id: string, topic: string): Kind => (topic === 'standing' ? 'standing' : kindOf(id));

const titleOf = (topic: string): string =>
  topic === 'standing' ? 'Standing instructions' : `Learned: ${topic.replaceAll('-', ' ')}`;

const byWeight = (a: Held, b: Held): number =>
  b.fact.importance - a.fact.importance || firstSeq(a) - firstSeq(b) || (a.fact.text < b.fact.text ? -1 : 1);

const firstSeq = ({ fact }: Held): number => fact.evidence[0]?.seq ?? 0;

function lineOf({ fact, reworded }: Held): PageLine {
  const until = fact.expires === undefined ? '' : aside(`until ${lastDayOf(fact.expires)}`);
  return {
    text: `- ${said(reworded ?? fact.text, LONGEST)}${evidenced(fact.evidence)}${until}`,
    mark: markOfFact(fact.id),
  };
}

function pastLine({ fact, reworded, since }: Held): PageLine {
  const until = aside(`until ${since.slice(0, 10)}`);
  return plain(`- ~~${said(reworded ?? fact.text, LONGEST)}~~${evidenced(fact.evidence)}${until}`);
}

const LONGEST = 4000;

/** What is over at midnight held until the day before. */
const lastDayOf = (expires: string): string => new Date(Date.parse(expires) - 1).toISOString().slice(0, 10);
