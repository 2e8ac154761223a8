/**
 * Owns: selecting what memory contributes to a prompt. Pure.
 *
 * 1. By the given counter, the text never costs more than the cap.
 * 2. Instructions come first, then everything else that is known, and episodes take what is left, up to their share. Of
 *    each of these the lowest score is dropped first. The text says when an instruction did not fit.
 * 3. Near-duplicates are dropped: of a fact and the episode that it comes from, the episode is.
 * 4. What is not the operator's own words is inside data marks, with where it comes from.
 * 5. The manifest lists what is in, what was dropped and why, best first; the same candidates give the same pack.
 */
import { markAsData } from '../../core/schema/data-mark.ts';
import type { Evidence, MemoryConfig, PackManifest, PackSection } from '../../core/schema/memory.ts';
import type { TokenCounter } from '../text/tokens.ts';
import { extractTerms } from '../text/terms.ts';

export type Candidate = {
  id: string;
  section: PackSection;
  score: number;
  /** One entry of the pack. */
  text: string;
  /** The heading it is listed under, such as its day. */
  heading?: string;
  /** Whether it says how to work, as a standing instruction or a preference does. */
  isInstruction?: boolean;
  /** Whether the operator wrote it. Everything else is material and is marked as such. */
  isOperators?: boolean;
  /** Its position among the entries of its section; entries without one are ordered by score. */
  order?: number;
  evidence: readonly Evidence[];
};

type PackInput = {
  candidates: readonly Candidate[];
  settings: Pick<MemoryConfig, 'cap' | 'facts' | 'episodes' | 'procedures' | 'shares'>;
  counter: TokenCounter;
};

type Packed = Pick<PackManifest, 'cap' | 'tokens' | 'counter' | 'items' | 'dropped' | 'more'> & { text: string };

type Why = PackManifest['dropped'][number]['why'];
type CountedCandidate = { candidate: Candidate; tokens: number };
type Selection = { kept: CountedCandidate[]; dropped: (CountedCandidate & { why: Why })[] };

const MAX_DROPPED_LISTED = 50;
const SIMILARITY_THRESHOLD = 0.85;
const MIN_TERMS = 4;

const SECTIONS: readonly PackSection[] = ['standing', 'graph', 'facts', 'episodes', 'procedures', 'frames'];

const HEADINGS: Readonly<Record<PackSection, string>> = {
  standing: 'Standing instructions of the people you work for:',
  graph: 'The work at hand:',
  facts: 'Facts from the people you work for:',
  episodes: 'Earlier tasks of the people you work for, as background:',
  procedures: 'Procedures that worked:',
  frames: 'The workspace:',
};

/** The origin of the material in each section, as its data mark says it. */
const ORIGINS: Readonly<Record<PackSection, string>> = {
  standing: 'memory: instructions',
  graph: 'the steps of this plan',
  facts: 'memory: facts from runs, tools and imports',
  episodes: 'memory: earlier runs, their tools, and what others said',
  procedures: 'memory: procedures that worked',
  frames: 'the workspace',
};

export function packContext({ candidates, settings, counter }: PackInput): Packed {
  const sorted: Selection = { kept: [], dropped: [] };
  const weigh = (candidate: Candidate): CountedCandidate => ({
    candidate,
    tokens: counter.count(`${candidate.text}\n`),
  });
  const inOrder = candidates.toSorted(bestFirst).map(weigh);
  const fresh = dropWhere(sorted, inOrder, createDuplicateFilter(), 'said already');
  const few = dropWhere(sorted, fresh, createCountFilter(settings), 'too many');
  const short = dropWhere(
    sorted,
    few,
    ({ candidate, tokens }) => tokens > sectionBudget(candidate.section, settings),
    'too long',
  );
  const shared = dropWhere(sorted, short, createShareFilter(settings), 'over its share');
  const { text, tokens } = fitToCap(sorted, shared, settings.cap, counter);
  const dropped = sorted.dropped.toSorted((a, b) => bestFirst(a.candidate, b.candidate));
  return {
    text,
    cap: settings.cap,
    tokens,
    counter: counter.name,
    items: sorted.kept.map(toManifestEntry),
    dropped: dropped.slice(0, MAX_DROPPED_LISTED).map((each) => ({ ...toManifestEntry(each), why: each.why })),
    more: Math.max(0, dropped.length - MAX_DROPPED_LISTED),
  };
}

/** Orders instructions before everything else and episodes behind it, then by score (2). */
function bestFirst(a: Candidate, b: Candidate): number {
  return rankOf(a) - rankOf(b) || b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

const isInstruction = ({ section, isInstruction: is }: Candidate): boolean => section === 'standing' || is === true;

const rankOf = (candidate: Candidate): number =>
  isInstruction(candidate) ? 0 : candidate.section === 'episodes' ? 2 : 1;

function dropWhere(
  sorted: Selection,
  from: readonly CountedCandidate[],
  isDropped: (each: CountedCandidate) => boolean,
  why: Why,
): CountedCandidate[] {
  const kept: CountedCandidate[] = [];
  for (const each of from)
    if (isDropped(each)) sorted.dropped.push({ ...each, why });
    else kept.push(each);
  return kept;
}

/** Matches candidates that repeat an earlier one almost word for word (3). */
function createDuplicateFilter(): (each: CountedCandidate) => boolean {
  const texts = new Set<string>();
  const byTerm = new Map<string, Set<string>[]>();
  return ({ candidate }) => {
    const text = candidate.text.replaceAll(/\s+/g, ' ').trim();
    if (texts.has(text)) return true;
    const terms = new Set(extractTerms(text));
    // A similar text lacks so few of these terms that it has one of any so many; with the rarest few have to be compared.
    const most = Math.floor((1 - SIMILARITY_THRESHOLD) * terms.size) + 1;
    const having = Array.from(terms, (term) => byTerm.get(term) ?? []).toSorted((a, b) => a.length - b.length);
    if (having.slice(0, most).some((others) => others.some((other) => areSimilar(other, terms)))) return true;
    texts.add(text);
    for (const term of terms) addTo(byTerm, term, terms);
    return false;
  };
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function areSimilar(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [fewer, more] = a.size < b.size ? [a, b] : [b, a];
  if (fewer.size < MIN_TERMS || fewer.size < SIMILARITY_THRESHOLD * more.size) return false;
  let both = 0;
  for (const term of fewer) if (more.has(term)) both += 1;
  return both / (fewer.size + more.size - both) >= SIMILARITY_THRESHOLD;
}

function createCountFilter({
  facts,
  episodes,
  procedures,
}: PackInput['settings']): (each: CountedCandidate) => boolean {
  const left: Partial<Record<PackSection, number>> = { facts, episodes, procedures };
  return ({ candidate: { section } }) => {
    const room = left[section];
    if (room === undefined) return false;
    left[section] = room - 1;
    return room <= 0;
  };
}

const sectionBudget = (section: PackSection, { cap, shares }: PackInput['settings']): number =>
  Math.floor(cap * shares[section]);

/** Everything after the first candidate that exceeds the share scores lower and is dropped as well. */
function createShareFilter(settings: PackInput['settings']): (each: CountedCandidate) => boolean {
  const used = new Map<PackSection, number>();
  return ({ candidate: { section }, tokens }) => {
    const sum = (used.get(section) ?? 0) + tokens;
    used.set(section, sum);
    return sum > sectionBudget(section, settings);
  };
}

/** Drops the lowest scores until the text fits (1, 2). The text is counted as a whole, which can differ from the sum. */
function fitToCap(
  sorted: Selection,
  from: readonly CountedCandidate[],
  cap: number,
  counter: TokenCounter,
): { text: string; tokens: number } {
  const kept = [...from];
  let sum = kept.reduce((total, { tokens }) => total + tokens, 0);
  for (;;) {
    const left = sorted.dropped.filter(
      ({ candidate, why }) => isInstruction(candidate) && why !== 'said already',
    ).length;
    const text = sum > cap ? null : renderPack(kept, left);
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

function renderPack(kept: readonly CountedCandidate[], left: number): string {
  const missing = left === 0 ? [] : [`(${left} more of their instructions for such tasks did not fit in here.)`];
  const sections = SECTIONS.flatMap((section) => {
    const entries = kept.map(({ candidate }) => candidate).filter((candidate) => candidate.section === section);
    const operators = entries.filter(({ isOperators }) => isOperators === true);
    const material = entries.filter(({ isOperators }) => isOperators !== true);
    return [
      ...(operators.length === 0 ? [] : [`${HEADINGS[section]}\n${renderEntries(operators)}`]),
      ...(material.length === 0 ? [] : [markAsData(ORIGINS[section], renderEntries(material))]),
    ];
  });
  return [...sections, ...missing].join('\n');
}

function renderEntries(entries: readonly Candidate[]): string {
  const lines: string[] = [];
  let under: string | undefined;
  for (const entry of entries.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))) {
    if (entry.heading !== under && entry.heading !== undefined) lines.push(entry.heading);
    under = entry.heading;
    lines.push(entry.text);
  }
  return lines.join('\n');
}

function toManifestEntry({ candidate, tokens }: CountedCandidate): PackManifest['items'][number] {
  const { id, section, score, evidence } = candidate;
  return {
    id: id.slice(0, 400),
    section,
    score: Math.round(score * 1e4) / 1e4,
    tokens,
    evidence: evidence.slice(0, 100),
  };
}
