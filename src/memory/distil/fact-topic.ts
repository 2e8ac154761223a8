/** The topic of a fact, which names its page. */
import { extractTerms } from '../text/terms.ts';

/** Topics with the stems of typical words; the first best match wins. */
const TOPICS: Readonly<Record<string, string>> = {
  git: 'git commit branch merg rebas pull push repositori tag',
  code: 'code function lint test typescript python javascript rust indent tab variabl compil build',
  writing: 'write report letter tone languag word sentenc summari text german english format heading titl',
  mail: 'mail email inbox repli newslett recipi',
  money: 'invoic currenc euro eur usd budget price tax payment bank bill receipt',
  dates: 'date calendar meet appoint deadlin weekdai holidai timezon utc',
  files: 'file folder directori renam backup photo archiv copi download path',
  data: 'csv json excel spreadsheet column tabl databas sql queri',
  web: 'url websit page http api browser server',
};

const WORDS = Object.entries(TOPICS).map(([topic, words]) => ({ topic, words: new Set(words.split(' ')) }));

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
