/** A hundred thousand packs of text that tokenizers do not like: none may cost more than its cap. */
import { type Candidate, packContext } from '../../src/kit/learning/context-pack.ts';
import { type TokenCounter, createTokenCounter, type ModelFamily } from '../../src/kit/text/tokens.ts';
import { MemoryConfig, PackSection } from '../../src/core/schema/memory.ts';
import type { Figure } from '../figure.ts';
import { generator } from './data.ts';

const PACKS = 100_000;
const TEXTS = 3000;

export async function packFigures(): Promise<Figure[]> {
  const random = generator(2026);
  const families: readonly ModelFamily[] = ['openai', 'anthropic', 'unknown'];
  const counters = await Promise.all(families.map(async (family) => remembering(await createTokenCounter(family))));
  const texts = Array.from({ length: TEXTS }, () => hostileText(random));
  const settings = MemoryConfig.parse({});
  let over = 0;
  const start = performance.now();
  for (let pack = 0; pack < PACKS; pack += 1) {
    const counter = counters[pack % counters.length] as TokenCounter;
    const cap = random.below(pack % 50 === 0 ? 2000 : 150);
    const candidates = Array.from({ length: random.below(10) }, (_, index) => candidate(`c${index}`, random, texts));
    const { text, tokens } = packContext({ candidates, settings: { ...settings, cap }, counter });
    if (tokens > cap || counter.count(text) > cap) over += 1;
  }
  const ms = (performance.now() - start) / PACKS;
  return [
    {
      name: 'packs_over_cap',
      value: over,
      unit: '',
      bar: { most: 0 },
      about: `of ${PACKS} packs, three families of tokenizers`,
    },
    { name: 'pack_made_ms', value: ms, unit: 'ms', about: 'to choose and count one of them' },
  ];
}

/** Entries come again and again; a whole pack is always counted again. */
function remembering(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    name: counter.name,
    count: (text) => {
      if (text.length > 400 || text.indexOf('\n') !== text.length - 1) return counter.count(text);
      const tokens = known.get(text) ?? counter.count(text);
      if (known.size < 2 * TEXTS) known.set(text, tokens);
      return tokens;
    },
  };
}

type Random = ReturnType<typeof generator>;

function candidate(id: string, random: Random, texts: readonly string[]): Candidate {
  return {
    id,
    section: random.of(PackSection.options),
    score: random.next(),
    text: random.of(texts),
    heading: random.of(['2026-01-01:', '2026-01-02:']),
    order: random.below(10),
    evidence: [],
  };
}

function hostileText(random: Random): string {
  const length = 1 + random.below(60);
  const from = (alphabet: readonly string[]): string => Array.from({ length }, () => random.of(alphabet)).join('');
  switch (random.below(6)) {
    case 0:
      return from(Array.from('abcdefghijklmnopqrstuvwxyz'));
    case 1:
      return from(['👩‍👩‍👧‍👦', '🏳️‍🌈', '🎉', '𝔘', '\u{10FFFF}']);
    case 2:
      return from(Array.from('東京都大阪府한국어ไทยالعربية'));
    case 3:
      return Buffer.from(from(Array.from('\u0000ÿ0123456789')), 'latin1').toString('base64');
    case 4:
      return from(['\n', '\t', ' ', '<|endoftext|>', '\u200B', '\u202E', '{"a":', '\\u0000', '}']);
    default:
      return from(['the ', 'invoice ', 'was ', 'sent ', 'on ', '2026-01-31 ']);
  }
}
