/**
 * Conversations with questions whose evidence is known: read from a file in the format of LoCoMo if there is one
 * (bench/data/locomo10.json, not part of the project), else made up from a seed. What is made up is a stand-in: people who
 * know each other talk over months, say most things once, in other words than they are asked for later, often across two
 * turns, while the other one says something like it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillers, topics } from './topics.ts';

export type Turn = {
  id: string;
  text: string;
  at: string;
  who: string;
  namespace: string;
  role?: 'user' | 'assistant';
};
export type Asked = { question: string; evidence: string[]; namespace: string };
export type Conversations = { name: string; turns: Turn[]; questions: Asked[] };

const FILE = join(import.meta.dirname, '..', 'data', 'locomo10.json');

export function conversationSets(seeds: readonly number[]): Conversations[] {
  return [
    ...(existsSync(FILE) ? [readLocomo(JSON.parse(readFileSync(FILE, 'utf8')) as LocomoSample[])] : []),
    ...seeds.map(madeUp),
  ];
}

type LocomoTurn = { speaker: string; dia_id: string; text: string; blip_caption?: string };
type LocomoSample = {
  sample_id: string;
  conversation: Record<string, string | LocomoTurn[]>;
  qa: { question: string; evidence: string[]; category: number }[];
};

export function readLocomo(samples: readonly LocomoSample[]): Conversations {
  const turns: Turn[] = [];
  const questions: Asked[] = [];
  for (const { sample_id: namespace, conversation, qa } of samples) {
    for (const [key, session] of Object.entries(conversation)) {
      if (!/^session_\d+$/.test(key) || !Array.isArray(session)) continue;
      const moment = conversation[`${key}_date_time`];
      const begin = momentIn(typeof moment === 'string' ? moment : '');
      session.forEach(({ dia_id: id, speaker: who, text, blip_caption: seen }, index) => {
        const at = new Date(begin + index * 30_000).toISOString();
        turns.push({ id, who, at, namespace, text: seen === undefined ? text : `${text} [shows ${seen}]` });
      });
    }
    for (const { question, evidence, category } of qa) {
      const ids = evidence.flatMap((each) => each.match(/D\d+:\d+/g) ?? []);
      if (category !== 5 && ids.length > 0) questions.push({ question, evidence: ids, namespace });
    }
  }
  return { name: 'locomo', turns, questions };
}

/** "1:56 pm on 8 May, 2023". */
function momentIn(text: string): number {
  const [, hour = '0', minute = '0', half = 'am', day = '1', month = 'January', year = '2020'] =
    /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? [];
  return Date.parse(`${day} ${month} ${year} ${(Number(hour) % 12) + (half === 'pm' ? 12 : 0)}:${minute} UTC`);
}

const PAIRS = [
  ['Caroline', 'Melanie'],
  ['Jon', 'Gina'],
  ['Maria', 'John'],
  ['Nate', 'Joanna'],
  ['Tim', 'Audrey'],
  ['James', 'Deborah'],
] as const;
const SESSIONS = 28;
const MONTH_NAMES = 'January February March April May June July August September October November December'.split(' ');

export function madeUp(seed: number): Conversations {
  const random = generator(seed);
  const turns: Turn[] = [];
  const questions: Asked[] = [];
  for (const [index, pair] of PAIRS.entries()) converse(`talk-${seed}-${index}`, pair, random, turns, questions);
  return { name: `made-${seed}`, turns, questions };
}

type Random = ReturnType<typeof generator>;

function converse(
  namespace: string,
  pair: readonly [string, string],
  random: Random,
  turns: Turn[],
  questions: Asked[],
): void {
  let moment = Date.UTC(2022, random.below(12), 1 + random.below(27), 9 + random.below(9));
  /** What each has mentioned of a topic, so that a question has one answer. */
  const told = new Set<string>();
  for (let session = 1; session <= SESSIONS; session += 1) {
    moment += (4 + random.below(24)) * 86_400_000 + random.below(7_200_000);
    let [count, clock] = [0, moment];
    const say = (who: string, text: string): string => {
      count += 1;
      clock += 20_000 + random.below(60_000);
      const id = `D${session}:${count}`;
      turns.push({ id, text, who, at: new Date(clock).toISOString(), namespace });
      return id;
    };
    say(pair[0], random.of(fillers.hello).replace('{other}', pair[1]));
    say(pair[1], random.of(fillers.back).replace('{other}', pair[0]));
    for (let round = 0; round < 6; round += 1) {
      const [teller, listener] = random.below(2) === 0 ? [pair[0], pair[1]] : [pair[1], pair[0]];
      const topic = random.of(topics);
      const key = `${teller} ${topic.name}`;
      if (!told.has(key)) {
        told.add(key);
        questions.push({ ...tell(topic, teller, listener, say, random, clock), namespace });
      } else if (random.below(2) === 0) say(teller, longer(random.of(topic.again), random));
      for (let idle = random.below(4); idle > 0; idle -= 1)
        say(
          idle % 2 === 0 ? teller : listener,
          longer(random.of(fillers.between), random).replace('{other}', idle % 2 === 0 ? listener : teller),
        );
    }
    say(pair[0], random.of(fillers.bye).replace('{other}', pair[1]));
  }
}

/** Questions that name what they ask about; the others only describe it. */
const BY_VALUE = [
  'When did {who} talk about {value}?',
  'What did {who} say about {value}?',
  'How does {who} feel about {value}?',
];

/** People say more than one sentence. */
function longer(text: string, random: Random): string {
  return [text, ...Array.from({ length: random.below(3) }, () => random.of(fillers.besides))].join(' ');
}

type Told = Omit<Asked, 'namespace'>;

function tell(
  topic: (typeof topics)[number],
  teller: string,
  listener: string,
  say: (who: string, text: string) => string,
  random: Random,
  clock: number,
): Told {
  const value = random.of(topic.values);
  const filled = (text: string): string =>
    text.replace('{value}', value).replace('{who}', teller).replace('{other}', listener);
  const when = new Date(clock);
  const timed = (question: string): string =>
    random.below(4) === 0
      ? question.replace('?', ` in ${MONTH_NAMES[when.getUTCMonth()]} ${when.getUTCFullYear()}?`)
      : question;
  const question = timed(filled(random.of(random.below(20) < 9 ? BY_VALUE : topic.asks)));
  if (random.below(5) < 2 && topic.pairs.length > 0) {
    const [lead, reply, answer] = random.of(topic.pairs).map(filled);
    const opening = say(teller, longer(lead ?? '', random));
    say(listener, reply ?? '');
    const last = say(teller, longer(answer ?? '', random));
    return { question, evidence: random.below(3) === 0 ? [last] : [opening, last] };
  }
  const evidence = [say(teller, longer(filled(random.of(topic.tells)), random))];
  say(listener, random.of(fillers.react).replace('{other}', teller));
  return { question, evidence };
}

/** Mulberry's generator: small, and the same everywhere. */
export function generator(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (most: number): number => Math.floor(next() * most);
  return { next, below, of: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}
