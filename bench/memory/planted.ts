/**
 * Instructions that a person stated once, somewhere in a long history of talk and work, and tasks hundreds of events
 * later to which they apply: how many are in the packs of planner and worker, and whether any is in that must not be:
 * one that was replaced, of somebody else, or for another project.
 */
import { join } from 'node:path';
import { setUp } from '../../src/kit/home/set-up.ts';
import { openMaintenance } from '../../src/rooms/maintenance/open-maintenance.ts';
import { runPass } from '../../src/rooms/maintenance/pass.ts';
import { recallOptions } from '../../src/rooms/memory/open-recall.ts';
import { loadConfig } from '../../src/kit/settings.ts';
import { openArtifacts } from '../../src/core/ledger/artifact-store.ts';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { buildPack } from '../../src/rooms/memory/recall/build-pack.ts';
import { Recall } from '../../src/rooms/memory/recall/recall.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { MemoryConfig } from '../../src/core/schema/memory.ts';
import type { ArtifactStore } from '../../src/core/schema/ports.ts';
import type { Figure } from '../figure.ts';
import { history, type Moment } from '../maintain/history.ts';
import { memoryFolder, temporaryHome } from '../support/home.ts';
import { generator } from './data.ts';
import {
  heldOutTopics,
  heldOutTraps,
  type PlantedTopic,
  type Trap,
  tunedTopics,
  tunedTraps,
} from './planted-topics.ts';
import { fillers, topics } from './topics.ts';

type Random = ReturnType<typeof generator>;
type Role = 'planner' | 'executor';
/** A task, and what must be in its pack or must not be. */
type Probe = { ask: string; wanted: string | null; trap: string | null };
export type PlantedResult = { planner: number; executor: number; trapped: string[]; missed: string[]; probes: number };

/** Events of talk and work between two statements, and after the last one. */
const BETWEEN = 24;
const AFTER = 1500;
const START = Date.UTC(2026, 0, 5, 8);

export async function plantedFigures(note: (text: string) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const set of ['tuned', 'held_out'] as const)
    for (const vectors of [true, false]) {
      const result = await measurePlanted(set, set === 'tuned' ? 1 : 51, vectors);
      note(`${set}, ${vectors ? 'vectors' : 'keywords'}: ${JSON.stringify(result)}`);
      const name = `${set}_${vectors ? 'vectors' : 'words'}`;
      const about = `of ${result.probes} instructions stated once, in the pack of the`;
      figures.push(
        {
          name: `planted_${name}_planner`,
          value: result.planner,
          unit: '',
          bar: { least: 38 },
          about: `${about} planner`,
        },
        {
          name: `planted_${name}_worker`,
          value: result.executor,
          unit: '',
          bar: { least: 38 },
          about: `${about} worker`,
        },
        {
          name: `planted_${name}_trapped`,
          value: result.trapped.length,
          unit: '',
          bar: { most: 0 },
          about: 'in a pack that must not be',
        },
      );
    }
  return figures;
}

export async function measurePlanted(
  set: 'tuned' | 'held_out',
  seed: number,
  vectors: boolean,
): Promise<PlantedResult> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  setUp(home);
  const probes = await plant(home, set, generator(seed));
  await learn(home);
  const recall = Recall.open(recallOptions(home, MemoryConfig.parse({ vectors })));
  await recall.catchUp();
  await search(recall, vectors);
  const result: PlantedResult = { planner: 0, executor: 0, trapped: [], missed: [], probes: 0 };
  for (const probe of probes) {
    if (probe.trap === null) result.probes += 1;
    for (const role of ['planner', 'executor'] as const)
      countProbe(result, role, probe, await packText(recall, role, probe.ask));
  }
  await recall.close();
  return result;
}

async function search(recall: Recall, vectors: boolean): Promise<void> {
  await packText(recall, 'planner', 'anything');
  if (vectors) await recall.embedAll(new AbortController().signal);
}

async function packText(recall: Recall, role: Role, query: string): Promise<string> {
  const ask = { role, run: 'asked', node: 'plan', query, model: null, given: [] };
  return (await buildPack(recall, ask)).text;
}

function countProbe(result: PlantedResult, role: Role, { ask, wanted, trap }: Probe, text: string): void {
  const has = (part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
  if (trap !== null && has(trap)) result.trapped.push(`${role}: ${trap}`);
  if (wanted === null) return;
  if (trap === null && has(wanted)) result[role] += 1;
  else if (!has(wanted)) result.missed.push(`${role}: ${wanted} <- ${ask}`);
}

/** Writes the history, and returns what to ask about. */
async function plant(home: Home, set: 'tuned' | 'held_out', random: Random): Promise<Probe[]> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
  let ms = START;
  const flush = { now: () => undefined, later: async () => undefined };
  const ledger = await openLedger(home.ledgers.run, 'run', { redact: (text) => text, clock: () => ms, flush });
  const noise = noiseOf(random, artifacts);
  const write = async (events: NewEvent[]): Promise<void> => {
    ms += 60_000;
    await ledger.append(events);
  };
  const pass = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) await write((await noise.next()).value as NewEvent[]);
  };
  const { statements, probes } = chooseStatements(set, random);
  for (const { text, by } of statements) {
    await pass(1 + random.below(BETWEEN));
    await write(await statementEvents(text, by, ms, random, artifacts));
  }
  await pass(AFTER);
  await ledger.close();
  return probes;
}

/** `directly`: in a task or an answer, since imported words replace nothing that was said directly. */
type Statement = { text: string; by: 'operator' | 'directly' | 'other' };

/** The new version of a superseded instruction comes behind all others. */
function chooseStatements(set: 'tuned' | 'held_out', random: Random): { statements: Statement[]; probes: Probe[] } {
  const [planted, traps] = set === 'tuned' ? [tunedTopics, tunedTraps] : [heldOutTopics, heldOutTraps];
  const filled = planted.map((each) => fillTopic(each, random));
  const first = [...filled.map(({ text }) => operators(text)), ...traps.map(trapStatement)];
  const order = first.map((each) => ({ each, at: random.next() })).toSorted((a, b) => a.at - b.at);
  const later = traps.flatMap(({ now }): Statement[] => (now === undefined ? [] : [{ text: now, by: 'directly' }]));
  return {
    statements: [...order.map(({ each }) => each), ...later],
    probes: [
      ...filled.map(({ ask, wanted }) => ({ ask, wanted, trap: null })),
      ...traps.map(({ ask, mark, now }) => ({
        ask,
        trap: mark,
        wanted: now === undefined ? null : now.slice(-12, -1),
      })),
    ],
  };
}

const operators = (text: string): Statement => ({ text, by: 'operator' });
const trapStatement = ({ old, kind }: Trap): Statement => ({ text: old, by: kind === 'person' ? 'other' : 'operator' });

function fillTopic({ say, values, asks }: PlantedTopic, random: Random): { text: string; ask: string; wanted: string } {
  const value = random.of(values);
  return { text: say.replace('{v}', value), ask: random.of(asks), wanted: value };
}

/** An operator states things in tasks, in answers and in talk; others state them in talk. */
async function statementEvents(
  text: string,
  by: Statement['by'],
  ms: number,
  random: Random,
  artifacts: ArtifactStore,
): Promise<NewEvent[]> {
  const about = random.of(topics);
  const besides = random.of(fillers.besides);
  const talk = `${random.of(about.again)} ${text} ${besides}`;
  if (by === 'other') return [line(`o${ms}`, talk, 'Ben', ms, 'team')];
  switch (random.below(by === 'directly' ? 2 : 3)) {
    case 0:
      return taskEvents(`t${ms}`, `Tidy the shelf with ${random.of(about.values)}. ${text}\n`, artifacts);
    case 1:
      return answerEvents(`a${ms}`, text);
    default:
      return [line(`m${ms}`, talk, 'me', ms, 'assistant')];
  }
}

async function taskEvents(run: string, body: string, artifacts: ArtifactStore): Promise<NewEvent[]> {
  const stored = await artifacts.put(body);
  const graph = { id: 'oka.task', sha256: stored.sha256 };
  const input = {
    name: `${run}.md`,
    title: 'Tidy the shelf',
    body: stored.sha256,
    dir: null,
    fields: {},
    first_line: 1,
  };
  return [
    { type: 'task.received', run, data: { name: `${run}.md`, body: stored } },
    { type: 'run.started', run, data: { title: 'Tidy the shelf', graph, input } },
    { type: 'run.ended', run, data: { status: 'done', reason: 'The shelf is tidy.' } },
  ];
}

function answerEvents(run: string, text: string): NewEvent[] {
  const wait = `${run}.w`;
  const graph = { id: 'ask', sha256: 'a'.repeat(64) };
  return [
    { type: 'run.started', run, data: { title: 'Ask', graph } },
    {
      type: 'wait.opened',
      run,
      data: { wait, node: 'ask', for: { kind: 'question', text: 'Is there anything else?' } },
    },
    { type: 'wait.closed', run, data: { wait, node: 'ask', answer: { verdict: 'answered', text, by: 'a person' } } },
    { type: 'run.ended', run, data: { status: 'done', reason: 'answered' } },
  ];
}

function line(id: string, text: string, who: string, ms: number, namespace: string): NewEvent {
  const episode = { id, text, at: new Date(ms).toISOString(), who, namespace };
  return { type: 'episode.imported', data: { episode, from: { name: 'talk.jsonl', line: 1 } } };
}

/** Other work, and talk of other people and of an assistant about the same matters. */
async function* noiseOf(random: Random, artifacts: ArtifactStore): AsyncGenerator<NewEvent[]> {
  const work = history(random.below(1000), artifacts);
  for (let number = 0; ; number += 1) {
    if (number % 4 === 0) yield ((await work.next()).value as Moment).events;
    else
      yield [
        line(
          `n${number}`,
          noiseText(random),
          random.of(['Ida', 'Ben', 'assistant', 'me']),
          START + number * 30_000,
          'talk',
        ),
      ];
  }
}

/** Two lines of three are about the matter of an instruction, without stating it. */
function noiseText(random: Random): string {
  const besides = Array.from({ length: 1 + random.below(4) }, () => random.of(fillers.besides)).join(' ');
  if (random.below(3) > 0) return `${random.of(random.of([...tunedTopics, ...heldOutTopics]).asks)} ${besides}`;
  const { tells, again, values } = random.of(topics);
  const said = random
    .of([...tells, ...again])
    .replace('{value}', random.of(values))
    .replace('{other}', 'you');
  return `${said} ${besides}`;
}

async function learn(home: Home): Promise<void> {
  const maintenance = await openMaintenance(home, await loadConfig(home), { clock: () => START + 20 * 86_400_000 });
  await runPass(maintenance, new AbortController().signal);
  await maintenance.close();
}
