/**
 * Owns: what the engine's home remembers, for prompts and tools.
 *
 * 1. Every pack is recorded by an event; one for a node is made once, so that the turns of the node share it.
 * 2. The task at hand is not remembered: a worker knows it, and what was judged about it is no evidence.
 * 3. Memory that fails costs no task: the prompt goes out without it, and the event says why.
 */
import { join } from 'node:path';
import { type BackgroundRecall, openBackgroundRecall } from './recall/background-recall.ts';
import type { Candidate } from '../../kit/learning/context-pack.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Config } from '../../core/schema/config.ts';
import type { MemoryStore } from '../../core/schema/ports.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { OnDurable } from '../../kit/ports/port-types.ts';
import type { Memory, PackRequest } from '../../kit/ports/memory-port.ts';
import type { MemoryPorts } from './memory-tools.ts';

const MOST_PACKS = 200;

/** Memory, and what only this room uses of it. */
type OpenMemory = Memory & {
  retrieve: BackgroundRecall['retrieve'];
  tools: MemoryPorts;
  close: () => Promise<void>;
};

type OpenMemoryPorts = { home: Home; config: Config; onDurable: OnDurable; taskGraph: () => TaskGraph };

export function openMemory({ home, config, onDurable, taskGraph }: OpenMemoryPorts): OpenMemory {
  const recall = openBackgroundRecall({
    folder: join(home.oka, 'index'),
    ledgers: home.ledgers,
    artifacts: join(home.oka, 'artifacts'),
    settings: config.memory,
  });
  const isOff = config.memory.cap === 0; // no prompt gets anything: nothing has to be ready for one
  if (!isOff) onDurable(() => recall.notifyChange());
  const packs = new Map<string, Promise<string>>();
  return {
    retrieve: (request) => recall.retrieve(request),
    instructions: () => (isOff ? Promise.resolve([]) : recall.instructions()),
    store: storeOver(recall),
    tools: {
      search: async (asked, run) => (await recall.search({ ...asked, except: taskOf(taskGraph(), run) })).found,
    },
    pack: (ask, note) => {
      if (isOff) return Promise.resolve('');
      const { given = [] } = ask;
      const named = given.map(({ id }) => id).join(' ');
      const key = `${ask.role} ${ask.run} ${ask.node ?? ''} ${ask.role === 'executor' ? '' : ask.query} ${named}`;
      const around = [...given, ...graphEntries(taskGraph(), ask)];
      const known =
        packs.get(key) ?? buildPack(recall, { ...ask, given: around, task: taskOf(taskGraph(), ask.run) }, note);
      packs.set(key, known);
      for (const old of [...packs.keys()].slice(0, Math.max(0, packs.size - MOST_PACKS))) packs.delete(old);
      return known;
    },
    close: () => recall.close(),
  };
}

/** The run of the task that a run belongs to: the one that it is inside of or continues, if any. */
function taskOf({ goals, ended }: Pick<TaskGraph, 'goals' | 'ended'>, run: string): string {
  const parent = [...goals, ...ended].find((goal) => goal.run === run)?.parent ?? null;
  return parent === null ? run : taskOf({ goals, ended }, parent);
}

function storeOver(beside: BackgroundRecall): MemoryStore {
  return {
    search: async (query, limit) =>
      (await beside.search({ query, limit })).found.map(({ id, text, score }) => ({ id, text, score })),
  };
}

async function buildPack(
  beside: BackgroundRecall,
  ask: PackRequest,
  note: (event: NewEvent & { run: string }) => void,
): Promise<string> {
  const { run, role, node, query } = ask;
  try {
    const { text, manifest } = await beside.pack(ask);
    if (manifest.items.length + manifest.dropped.length > 0) note({ type: 'context.packed', run, data: manifest });
    return text;
  } catch (error) {
    const nothing = { cap: 0, tokens: 0, by: 'keywords' as const, items: [], dropped: [], more: 0 };
    const counter = `none: ${messageOf(error)}`.slice(0, 80);
    note({ type: 'context.packed', run, data: { ...nothing, role, node, query: query.slice(0, 500), counter } });
    return '';
  }
}

/** The other steps of a worker's plan, so that it leaves their work to them. */
function graphEntries(
  { goals }: TaskGraph,
  { role, run, node }: Pick<PackRequest, 'role' | 'run' | 'node'>,
): Candidate[] {
  const mine = role === 'executor' ? goals.find((goal) => goal.run === run) : undefined;
  if (mine === undefined) return [];
  const near = new Set(mine.nodes.find(({ id }) => id === node)?.needs);
  return mine.nodes
    .filter(({ id }) => id !== node)
    .map((step): Candidate => {
      const isNear = near.has(step.id) || step.needs.includes(node ?? '');
      const text = `- step ${step.title}: ${step.status}`;
      return entry(`node:${run}.${step.id}`, isNear ? 0.9 : 0.4, text, run, mine.last);
    });
}

function entry(id: string, score: number, text: string, run: string, seq: number): Candidate {
  return { id, section: 'graph', score, text: text.replaceAll(/\s+/g, ' ').slice(0, 300), evidence: [{ run, seq }] };
}
