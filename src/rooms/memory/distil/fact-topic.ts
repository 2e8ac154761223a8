/** The topic of a fact, which names its page. */
import { extractTerms } from '../../../kit/text/terms.ts';
import { languages } from './languages/all-languages.ts';
import { english } from './languages/english.ts';

/** The stems of typical words of each topic, in all languages; the first best match wins. */
const WORDS = Object.keys(english.topics).map((topic) => ({
  topic,
  words: new Set(languages.flatMap(({ topics }) => extractTerms(topics[topic] ?? ''))),
}));

export type About = { text: string; tags?: readonly string[]; dir?: string | null };

export function chooseTopic({ text, tags = [], dir = null }: About): string {
  const terms = extractTerms(text);
  const counted = WORDS.map(({ topic, words }) => ({ topic, count: terms.filter((term) => words.has(term)).length }));
  const best = counted.reduce((most, each) => (each.count > most.count ? each : most), { topic: '', count: 0 });
  if (best.count > 0) return best.topic;
  const named = [...tags, dir?.split('/').find((part) => part !== '' && part !== '.') ?? ''].map(topicName);
  return named.find((name) => name !== GENERAL) ?? GENERAL;
}

const GENERAL = 'general';

/** Returns a name that is safe in file names on every system. */
export function topicName(namespace: string): string {
  const plain = namespace
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  const name = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name === '' ? GENERAL : name;
}
