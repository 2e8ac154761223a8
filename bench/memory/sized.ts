/** One size of history, in a process of its own: what packs contain and cost, and how much memory it needs. */
import { recallOptions } from '../../src/rooms/memory/open-recall.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { buildPack } from '../../src/rooms/memory/recall/build-pack.ts';
import { Recall } from '../../src/rooms/memory/recall/recall.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import { MemoryConfig } from '../../src/core/schema/memory.ts';
import { median } from '../figure.ts';
import { memoryFolder, temporaryHome } from '../support/home.ts';
import { type Asked, generator, madeUp, type Turn } from './data.ts';
import { mixedEmbedder } from './mixed.ts';
import { fillers, topics } from './topics.ts';
import { workerMemory } from './worker-memory.ts';

export type Sized = {
  tokens: number;
  recall: number;
  /** ms of packs for questions, and of packs for whole tasks. */
  p50: number;
  p99: number;
  task: number;
  /** ms of processor time of a pack, with all threads. */
  cpu50: number;
  cpu99: number;
  rss: number;
  /** MB of a real worker after the same questions; null without vectors, and where it cannot be measured. */
  worker: number | null;
  indexMs: number;
  by: string;
};

const ASKED = 60;
const FACTS = 500;
const TASK_LENGTH = 4000;
/** Events from which on a worker is measured. */
const LARGE = 100_000;
const isHard = process.env['HARD'] === '1';

const [, , events = '1000', words = 'vectors', seed = '21'] = process.argv;
const TALK = `talk-${seed}-0`;
process.stdout.write(JSON.stringify(await measureSize(Number(events), words === 'vectors')));

async function measureSize(size: number, vectors: boolean): Promise<Sized> {
  using temporary = temporaryHome(memoryFolder);
  setUp(temporary.home);
  const made = madeUp(Number(seed));
  const turns = made.turns.filter(({ namespace }) => namespace === TALK);
  const questions = made.questions.filter(({ namespace }) => namespace === TALK).slice(0, ASKED);
  await fill(temporary.home, size, turns);
  const real = new Set([...turns.map(({ text }) => text), ...questions.map(({ question }) => question)]);
  const settings = MemoryConfig.parse({ vectors });
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const embedder = (): ReturnType<typeof mixedEmbedder> =>
    mixedEmbedder((text) => real.has(text) || text.length > 350 || !text.includes('. '));
  const recall = Recall.open({ ...recallOptions(temporary.home, settings), ...(vectors ? { embedder } : {}) });
  const start = performance.now();
  await recall.catchUp();
  const indexMs = performance.now() - start;
  if (vectors) await recall.embedAll(new AbortController().signal);
  const measured = await askQuestions(recall, questions, turns);
  globalThis.gc?.();
  const rss = (process.memoryUsage().rss - before) / 1e6;
  await recall.close();
  const asked = questions.map(({ question }) => question);
  const queries = [...asked, ...asked, ...tasksOf(questions, turns), ...asked.slice(0, questions.length / 2)];
  const isMeasured = vectors && size >= LARGE && process.platform === 'linux';
  return { ...measured, rss, indexMs, worker: isMeasured ? await workerMemory(temporary.home, queries) : null };
}

async function askQuestions(recall: Recall, questions: readonly Asked[], turns: readonly Turn[]) {
  const pack = (query: string) =>
    buildPack(recall, { role: 'executor', run: 'none', node: null, query, model: 'openai:x', given: [] });
  const whole = tasksOf(questions, turns);
  for (const { question } of questions.slice(0, 10)) await pack(question);
  const [times, tasks, cpu]: [number[], number[], number[]] = [[], [], []];
  let [tokens, found, by] = [0, 0, ''];
  for (const [index, { question, evidence }] of [...questions, ...questions, ...questions].entries()) {
    const { ms, cpuMs, value } = await timeWork(() => pack(question));
    times.push(ms);
    cpu.push(cpuMs);
    tokens += value.manifest.tokens;
    by = value.manifest.by;
    const ids = new Set(value.manifest.items.map(({ id }) => id));
    found += evidence.filter((id) => ids.has(`${TALK}:${id}`)).length / evidence.length;
    const task = whole[index];
    if (task === undefined) continue;
    const packed = await timeWork(() => pack(task));
    tasks.push(packed.ms);
    cpu.push(packed.cpuMs);
  }
  const all = [...times, ...tasks];
  return {
    tokens: tokens / times.length,
    recall: (100 * found) / times.length,
    p50: median(all),
    p99: percentile99(all),
    task: median(tasks),
    cpu50: median(cpu),
    cpu99: percentile99(cpu),
    by,
  };
}

/** Texts of tasks, one for every second question. */
function tasksOf(questions: readonly Asked[], turns: readonly Turn[]): string[] {
  const body = turns.map(({ text }) => text).join(' ');
  const half = questions.slice(0, Math.ceil(questions.length / 2));
  return half.map(({ question }, index) => `${question}\n${body.slice(100 * index)}`.slice(0, TASK_LENGTH));
}

function percentile99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}

async function timeWork<T>(work: () => Promise<T>): Promise<{ ms: number; cpuMs: number; value: T }> {
  const [start, used] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000, value };
}

async function fill(home: Home, size: number, turns: readonly Turn[]): Promise<void> {
  const ledger = await openLedger(home.ledgers.run, 'run', {
    redact: (text) => text,
    flush: { now: () => undefined, later: async () => undefined },
  });
  const facts = Math.min(FACTS, Math.floor(size / 20));
  const noise = history(size - turns.length - facts, facts);
  for (let from = 0; from < noise.length; from += 1000) await ledger.append(noise.slice(from, from + 1000));
  await ledger.append(turns.map((episode, index): NewEvent => toImport(episode, index + 1)));
  await ledger.close();
}

function toImport(episode: Turn, line: number): NewEvent {
  return { type: 'episode.imported', data: { episode, from: { name: 'x', line } } };
}

/** Other people's talk about the same topics, and facts about them. With HARD=1 they also say what answers the questions. */
function history(talk: number, facts: number): NewEvent[] {
  const random = generator(talk);
  const at = Date.UTC(2020, 0, 1);
  const sentence = (): string => {
    const { tells, again, values } = random.of(topics);
    const line = random.of(isHard ? [...tells, ...again] : [...again, ...fillers.between]);
    return line.replace('{value}', random.of(values)).replace('{other}', 'you');
  };
  const said = Array.from({ length: Math.max(0, talk) }, (_, index) =>
    toImport(
      {
        id: `n${index}`,
        text: `${sentence()} ${random.of(fillers.besides)} ${sentence()}`,
        who: `Person${random.below(200)}`,
        at: new Date(at + index * 600_000).toISOString(),
        namespace: `n${Math.floor(index / 40)}`,
      },
      index + 1,
    ),
  );
  const kept = Array.from({ length: facts }, (_, index): NewEvent => {
    const fact = {
      id: `f${index}`,
      text: `Person${index} said: ${sentence()} That is all.`,
      importance: random.next(),
    };
    return { type: 'fact.kept', data: { ...fact, source: 'person' } };
  });
  return [...said, ...kept];
}
