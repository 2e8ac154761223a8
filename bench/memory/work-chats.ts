/**
 * Long chats of one person with an assistant about work: the person says something once, in few words; the assistant
 * answers at length, repeats the words of the question, and talks about the same matters later. Most questions are about
 * what the person said, and every fourth about what the assistant advised.
 */
import { type Asked, type Conversations, generator, type Turn } from './data.ts';
import { fillers, topics } from './topics.ts';

const CHATS = 5;
const ROUNDS = 120;

type Random = ReturnType<typeof generator>;

export function workChats(seed: number): Conversations {
  const random = generator(seed * 7919);
  const turns: Turn[] = [];
  const questions: Asked[] = [];
  for (let chat = 0; chat < CHATS; chat += 1) converse(`work-${seed}-${chat}`, random, turns, questions);
  return { name: `work-${seed}`, turns, questions };
}

const NAMES = ['Ann', 'Jonas', 'Mira', 'Tomás', 'Grace'] as const;

function converse(namespace: string, random: Random, turns: Turn[], questions: Asked[]): void {
  const who = NAMES[Number(namespace.slice(-1))] ?? 'Ann';
  let clock = Date.UTC(2025, random.below(12), 3, 8);
  const stated = new Set<string>();
  let [session, count] = [1, 0];
  const say = (role: 'user' | 'assistant', text: string): string => {
    count += 1;
    clock += 40_000;
    const id = `D${session}:${count}`;
    turns.push({
      id,
      text,
      who: role === 'user' ? who : 'assistant',
      role,
      at: new Date(clock).toISOString(),
      namespace,
    });
    return id;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 6 === 5) {
      [session, count] = [session + 1, 0];
      clock += 86_400_000 * (1 + random.below(5));
    }
    const topic = random.of(topics);
    const isNew = !stated.has(topic.name);
    stated.add(topic.name);
    const value = random.of(topic.values);
    const asked = random.of(topic.asks).replace('{who}', who);
    if (isNew) {
      const own = say('user', random.of(topic.tells).replace('{value}', value).replace('{other}', 'you'));
      const advice = random.of(ADVICE);
      const reply = say('assistant', `${longReply(topic, random)} ${advice.text} ${besides(random)}`);
      const isAdvice = random.below(4) === 0;
      questions.push(
        isAdvice
          ? { question: `${advice.ask} when ${who} spoke about the ${topic.name}?`, evidence: [reply], namespace }
          : { question: asked, evidence: [own], namespace },
      );
    } else {
      say('user', `${random.of(topic.again)} ${besides(random)}`);
      say('assistant', `${longReply(topic, random)} ${besides(random)}`);
    }
  }
}

/** Assistants say again what they were told, and what others might have said. */
function longReply({ name, tells, asks, values }: (typeof topics)[number], random: Random): string {
  const other = random.of(tells).replace('{value}', random.of(values)).replace('{other}', 'you');
  const restated = random.of(asks).replace('{who}', 'you').replace('?', '');
  return `Sure, about the ${name}: here is what I can say on ${restated.toLowerCase()}. For example: “${other}”`;
}

const besides = (random: Random): string =>
  Array.from({ length: 1 + random.below(3) }, () => random.of(fillers.besides)).join(' ');

const ADVICE = [
  {
    text: 'I would set a reminder a week ahead and write down three options.',
    ask: 'Which reminder did the assistant suggest',
  },
  { text: 'My advice is to compare two offers before you decide.', ask: 'What should be compared before deciding' },
  { text: 'It is best to keep the receipt for two years.', ask: 'How long should the receipt be kept' },
  { text: 'You could ask a friend to proofread it first.', ask: 'Who should proofread it' },
] as const;
