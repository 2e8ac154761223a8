/**
 * Owns: what goes into a prompt of what is remembered. Pure.
 *
 * 1. By the counter that is given the text never costs more than the cap.
 * 2. Standing instructions are in first, up to their share. Of the rest the worst goes first.
 * 3. What was said already, nearly word for word, is not said again.
 * 4. What is in, what is not and why is told, best first; the same candidates give the same pack.
 */
import type { Evidence, MemoryConfig, PackManifest, PackSection } from '../../schema/memory.ts';
import type { Counter } from '../text/tokens.ts';
import { termsOf } from '../text/words.ts';

export type Candidate = {
  id: string;
  section: PackSection;
  score: number;
  /** One entry of the pack. */
  text: string;
  /** What it stands under, such as its day. */
  under?: string;
  /** Where it stands among the entries of its section; those without keep the order of their scores. */
  order?: number;
  evidence: readonly Evidence[];
};

export type PackAsk = {
  candidates: readonly Candidate[];
  settings: Pick<MemoryConfig, 'cap' | 'facts' | 'episodes' | 'procedures' | 'shares'>;
  counter: Counter;
};

export type Packed = Pick<PackManifest, 'cap' | 'tokens' | 'counter' | 'items' | 'dropped' | 'more'> & { text: string };

type Why = PackManifest['dropped'][number]['why'];
type Weighed = { candidate: Candidate; tokens: number };
type Sorted = { kept: Weighed[]; dropped: (Weighed & { why: Why })[] };

const MOST_TOLD = 50;
const SAME = 0.85;
const FEWEST_TERMS = 4;

const SECTIONS: readonly PackSection[] = ['standing', 'graph', 'facts', 'episodes', 'procedures', 'frames'];

const HEADS: Readonly<Record<PackSection, string>> = {
  standing: 'Standing instructions of the people you work for:',
  graph: 'The work at hand:',
  facts: 'Known facts:',
  episodes: 'From earlier, as material:',
  procedures: 'Procedures that worked:',
  frames: 'The workspace:',
};

export function packContext({ candidates, settings, counter }: PackAsk): Packed {
  const sorted: Sorted = { kept: [], dropped: [] };
  const weigh = (candidate: Candidate): Weighed => ({ candidate, tokens: counter.count(`${candidate.text}\n`) });
  const inOrder = candidates.toSorted(bestFirst).map(weigh);
  const fresh = keep(sorted, inOrder, isRepeated(), 'said already');
  const few = keep(sorted, fresh, isTooMany(settings), 'too many');
  const short = keep(sorted, few, ({ candidate, tokens }) => tokens > roomOf(candidate.section, settings), 'too long');
  const shared = keep(sorted, short, isOverShare(settings), 'over its share');
  const { text, tokens } = fitted(sorted, shared, settings.cap, counter);
  const told = sorted.dropped.toSorted((a, b) => bestFirst(a.candidate, b.candidate));
  return {
    text,
    cap: settings.cap,
    tokens,
    counter: counter.name,
    items: sorted.kept.map(entryOf),
    dropped: told.slice(0, MOST_TOLD).map((each) => ({ ...entryOf(each), why: each.why })),
    more: Math.max(0, told.length - MOST_TOLD),
  };
}

/** Standing instructions stand above every score. */
function bestFirst(a: Candidate, b: Candidate): number {
  const standing = Number(b.section === 'standing') - Number(a.section === 'standing');
  return standing || b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function keep(sorted: Sorted, from: readonly Weighed[], goes: (each: Weighed) => boolean, why: Why): Weighed[] {
  const kept: Weighed[] = [];
  for (const each of from)
    if (goes(each)) sorted.dropped.push({ ...each, why });
    else kept.push(each);
  return kept;
}

/** 3. */
function isRepeated(): (each: Weighed) => boolean {
  const seen: { text: string; terms: Set<string> }[] = [];
  return ({ candidate }) => {
    const text = candidate.text.replaceAll(/\s+/g, ' ').trim();
    const terms = new Set(termsOf(text));
    if (seen.some((other) => other.text === text || areAlike(other.terms, terms))) return true;
    seen.push({ text, terms });
    return false;
  };
}

function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  if (fewer.size < FEWEST_TERMS || fewer.size < SAME * more.size) return false;
  let both = 0;
  for (const term of fewer) if (more.has(term)) both += 1;
  return both / (fewer.size + more.size - both) >= SAME;
}

function isTooMany({ facts, episodes, procedures }: PackAsk['settings']): (each: Weighed) => boolean {
  const left: Partial<Record<PackSection, number>> = { facts, episodes, procedures };
  return ({ candidate: { section } }) => {
    const room = left[section];
    if (room === undefined) return false;
    left[section] = room - 1;
    return room <= 0;
  };
}

const roomOf = (section: PackSection, { cap, shares }: PackAsk['settings']): number =>
  Math.floor(cap * shares[section]);

/** What comes behind the first that does not fit into the share is worse, and goes as well. */
function isOverShare(settings: PackAsk['settings']): (each: Weighed) => boolean {
  const used = new Map<PackSection, number>();
  return ({ candidate: { section }, tokens }) => {
    const sum = (used.get(section) ?? 0) + tokens;
    used.set(section, sum);
    return sum > roomOf(section, settings);
  };
}

/** 1, 2. Counted as a whole in the end: the parts may cost less together, and might cost more. */
function fitted(
  sorted: Sorted,
  from: readonly Weighed[],
  cap: number,
  counter: Counter,
): { text: string; tokens: number } {
  const kept = [...from];
  let sum = kept.reduce((total, { tokens }) => total + tokens, 0);
  for (;;) {
    const text = sum > cap ? null : rendered(kept);
    const tokens = text === null ? sum : counter.count(text);
    if (text !== null && tokens <= cap) {
      sorted.kept = kept;
      return { text, tokens };
    }
    for (let over = Math.max(1, tokens - cap); over > 0; ) {
      const worst = kept.pop();
      if (worst === undefined) break;
      sorted.dropped.push({ ...worst, why: 'over the cap' });
      sum -= worst.tokens;
      over -= Math.max(1, worst.tokens);
    }
    if (kept.length === 0) {
      sorted.kept = kept;
      return { text: '', tokens: 0 };
    }
  }
}

function rendered(kept: readonly Weighed[]): string {
  return SECTIONS.flatMap((section) => {
    const entries = kept.map(({ candidate }) => candidate).filter((candidate) => candidate.section === section);
    return entries.length === 0 ? [] : [`${HEADS[section]}\n${linesOf(entries)}`];
  }).join('\n');
}

function linesOf(entries: readonly Candidate[]): string {
  const lines: string[] = [];
  let under: string | undefined;
  for (const entry of entries.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))) {
    if (entry.under !== under && entry.under !== undefined) lines.push(entry.under);
    under = entry.under;
    lines.push(entry.text);
  }
  return `${lines.join('\n')}\n`;
}

function entryOf({ candidate, tokens }: Weighed): PackManifest['items'][number] {
  const { id, section, score, evidence } = candidate;
  return {
    id: id.slice(0, 400),
    section,
    score: Math.round(score * 1e4) / 1e4,
    tokens,
    evidence: evidence.slice(0, 100),
  };
}
