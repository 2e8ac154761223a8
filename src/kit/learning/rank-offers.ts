/**
 * Owns: which of many tools or skills fit a task best, by the words of their names and descriptions.
 *
 * 1. The weights are those of the memory index (BM25 over stems), so that it is fast enough to do for every prompt.
 * 2. What shares no significant word with the task is left out: a ranking always has a best entry, a prompt need not.
 * 3. The order depends on the offers and the task only.
 */
import { addToCorpus, emptyCorpus, weighAll } from './corpus.ts';
import { extractTerms } from '../text/terms.ts';
import { OTHER_WORDS } from './offer-words.ts';

export type Offer = {
  name: string;
  /** Words that count several times, such as those of its name. */
  title: string;
  text: string;
  /** Where it comes from, such as a server: what fits several offers of a group speaks for all of them. */
  group: string;
};

type RankedOffer<T extends Offer> = { offer: T; weight: number };

/** How often a word of the title counts. */
const TITLE_TIMES = 3;
/** What the fit of the whole group adds. */
const GROUP_SHARE = 0.25;
/** What another word for the same thing counts, as a share of the word itself. */
const OTHER_SHARE = 0.4;
/** Words of tasks and of descriptions that say nothing about which tool it is. */
const PLAIN_WORDS = new Set(
  extractTerms(
    'please want task today tomorrow yesterday give tell use using tool work new existing specific given several multiple available',
  ),
);

export function rankOffers<T extends Offer>(offers: readonly T[], task: string): RankedOffer<T>[] {
  const corpus = corpusOf(offers);
  const terms = extractTerms(task).filter((term) => !PLAIN_WORDS.has(term));
  const { items, threads } = weighAll(corpus, terms);
  const { items: others } = weighAll(corpus, otherWords(terms));
  return offers
    .map((offer, at) => {
      const own = (items[at] ?? 0) + OTHER_SHARE * (others[at] ?? 0);
      return { offer, weight: own === 0 ? 0 : own + GROUP_SHARE * (threads[corpus.threads[at] ?? 0] ?? 0) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || (a.offer.name < b.offer.name ? -1 : 1));
}

/** Other words for what the task says, each once. */
function otherWords(terms: readonly string[]): string[] {
  const own = new Set(terms);
  return [...new Set(terms.flatMap((term) => [...(OTHER_WORDS.get(term) ?? [])]))].filter((term) => !own.has(term));
}

const corpora = new WeakMap<readonly Offer[], ReturnType<typeof emptyCorpus>>();

/** The same list is indexed once. */
function corpusOf(offers: readonly Offer[]): ReturnType<typeof emptyCorpus> {
  const known = corpora.get(offers);
  if (known !== undefined) return known;
  const corpus = emptyCorpus();
  offers.forEach(({ title, text, group }, at) =>
    addToCorpus(corpus, {
      n: at + 1,
      kind: 'fact',
      who: '',
      at: '1970-01-01T00:00:00.000Z',
      thread: group,
      run: null,
      namespace: '',
      terms: extractTerms(`${`${title} `.repeat(TITLE_TIMES)} ${text}`).join(' '),
      sum: '',
      gone: 0,
    }),
  );
  corpora.set(offers, corpus);
  return corpus;
}
