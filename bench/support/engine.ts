/** Engines to measure: the standard chain over production stores, with a tool that gives back what it gets. */
import { setTimeout as after } from 'node:timers/promises';
import { createEngine, type Engine } from '../../src/core/engine/engine.ts';
import type { Stores } from '../../src/kit/house/stores.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import { type Json, JsonValue } from '../../src/core/schema/json.ts';
import type { Tool } from '../../src/core/schema/tool.ts';
import { standardChain } from '../../src/core/chain/chain.ts';

const KILOBYTE = 'x'.repeat(1000);

export function engineOn({ ledger, artifacts }: Stores, work: (input: Json) => Json = (input) => input): Engine {
  const echo: Tool = {
    name: 'echo',
    about: 'Gives back what it gets.',
    input: JsonValue,
    output: JsonValue,
    annotations: { read_only: false, destructive: false, idempotent: false, cacheable: false, risk: 'low' },
    targets: [],
    classOf: () => 'write_local',
    invoke: async (input) => ({ status: 'ok', output: work(input) }),
  };
  const tools = [echo];
  const sleep = (ms: number): Promise<void> => after(ms);
  const middleware = standardChain({
    tools,
    clock: Date.now,
    sleep,
    judge: () => ({ effect: 'allow', why: 'measured' }),
  });
  return createEngine({ tools, clock: Date.now, sleep, middleware, stores: { events: ledger, artifacts } });
}

/** Nodes one behind the other, 1 KB in and out. */
export function sequence(length: number): Graph {
  const nodes = Array.from({ length }, (_, index) => ({
    ...node(`n${index}`, index === 0 ? [] : [`n${index - 1}`]),
    input: { text: KILOBYTE },
  }));
  return Graph.parse({ id: 'sequence', nodes });
}

/** Layers of nodes side by side, each needing one of the layer before. */
export function layers(count: number, width: number): Graph {
  const nodes = Array.from({ length: count * width }, (_, index) => ({
    ...node(`n${index}`, index < width ? [] : [`n${index - width}`]),
    input: { index },
  }));
  return Graph.parse({ id: 'layers', nodes, parallel: width });
}

/** Tool nodes that do nothing, one behind the other, and as many conditions. */
export function noOpTools(length: number): Graph {
  const nodes = Array.from({ length }, (_, index) => ({ ...node(`n${index}`, before(index)), input: { index } }));
  return Graph.parse({ id: 'tools', nodes });
}

export function conditions(length: number): Graph {
  const nodes = Array.from({ length }, (_, index) => ({
    kind: 'typed_condition',
    id: `n${index}`,
    needs: before(index),
    all: [
      { left: '{{input.name}}', operator: 'matches', right: '^bench-[0-9]+$' },
      { left: '{{input.index}}', operator: 'gte', right: index },
    ],
  }));
  return Graph.parse({ id: 'conditions', nodes });
}

const before = (index: number): string[] => (index === 0 ? [] : [`n${index - 1}`]);

function node(id: string, needs: string[]): object {
  return { kind: 'tool', id, tool: 'echo', needs, timeout_seconds: 60, max_retries: 1 };
}
