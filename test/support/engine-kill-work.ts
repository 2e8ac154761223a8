/** The work of engine-child.ts: graphs of twenty nodes, and tools that leave a line for every effect they have. */
import { hash } from 'node:crypto';
import { fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Graph } from '../../src/core/schema/graph.ts';
import { type Json, JsonValue } from '../../src/core/schema/json.ts';
import type { SideEffectClass } from '../../src/core/schema/effect.ts';
import { type Tool, ToolAnnotations, type ToolCall } from '../../src/core/schema/tool.ts';

/**
 * What is noted of a call: that its tool was reached, that this was before its intent was on disk, that the world has
 * changed, that the tool is about to return.
 */
export type Phase = 'began' | 'early' | 'effect' | 'returned';
export type Note = (phase: Phase, call: ToolCall) => void;

type Order = { loop?: true; flaky?: true };

const KINDS: Record<string, { class: SideEffectClass; idempotent?: true; read_only?: true }> = {
  'count.read': { class: 'read', read_only: true },
  'count.idempotent': { class: 'write_local', idempotent: true },
  'count.once': { class: 'write_local' },
  'count.mail': { class: 'external_mutation' },
};

/** Doing these twice does harm. */
export const HARMFUL: ReadonlySet<string> = new Set(['count.once', 'count.mail']);

export function effectsFile(dir: string): string {
  return join(dir, 'effects');
}

/** Notes are in the file in the order in which they were made, by whatever process; an effect is on disk at once. */
export function noteIn(dir: string, isDurable: (call: string) => boolean): Note {
  const fd = openSync(effectsFile(dir), 'a');
  const write = (phase: Phase, { call, attempt, tool }: ToolCall): void => {
    writeSync(fd, `${phase} ${call} ${attempt} ${tool}\n`);
  };
  return (phase, call) => {
    write(phase, call);
    if (phase === 'began' && !isDurable(call.call)) write('early', call);
    if (phase === 'effect') fsyncSync(fd);
  };
}

export function countingTools(note: Note): Tool[] {
  return Object.entries(KINDS).map(([name, { class: effect, ...annotations }]) => ({
    name,
    about: 'Leaves a line.',
    input: JsonValue,
    output: JsonValue,
    annotations: ToolAnnotations.parse(annotations),
    targets: [],
    classOf: () => effect,
    invoke: async (input, call) => {
      const { loop, flaky } = input as Order;
      const fails = flaky === true && call.attempt === 1 && !HARMFUL.has(name); // what may do harm is not made again
      note('began', call);
      await pause(call, 'before');
      note('effect', call);
      await pause(call, 'after');
      note('returned', call);
      return fails
        ? { status: 'failed', error: 'not this time' }
        : { status: 'ok', output: { again: loop === true && visitOf(call.call) === 0 } };
    },
  }));
}

/** Between nothing and fifteen milliseconds: another time for every call, the same one for the same call. */
async function pause({ call }: ToolCall, where: string): Promise<void> {
  const ms = Number.parseInt(hash('sha256', `${call} ${where}`).slice(0, 2), 16) % 16;
  if (ms > 0) await sleep(ms);
}

/** Calls are named run.node.visit.attempt. */
export function visitOf(call: string): number {
  return Number(call.split('.')[2]);
}

export function placeOf(call: string): { node: string; visit: string } {
  const [run, node, visit] = call.split('.');
  return { node: `${run}.${node}`, visit: `${run}.${node}.${visit}` };
}

const TOOLS = ['count.once', 'count.read', 'count.mail', 'count.once', 'count.idempotent'];
const NODES = 20;

/** One after the other; one, eighteen side by side, one; and a mixture with an edge back and a map. */
export const shapes: Readonly<Record<string, Graph>> = {
  line: graphOf('line', (index) => (index === 0 ? [] : [index - 1])),
  fan: graphOf('fan', (index) => (index === 0 ? [] : index < NODES - 1 ? [0] : range(1, NODES - 1))),
  mixed: mixedGraph(),
};

function mixedGraph(): Graph {
  const graph = graphOf('mixed', (index) => {
    if (index === 0) return [];
    if (index <= 4) return [0];
    if (index === 5) return range(1, 5);
    if (index <= 11) return [index - 1];
    return index < NODES - 1 ? [11] : range(12, NODES - 1);
  });
  return Graph.parse({
    ...graph,
    nodes: graph.nodes.map((node, index) => {
      if (index === 5) return { ...node, tool: 'count.read', input: { loop: true } };
      if (index !== 6) return node;
      const each = { ...node, tool: 'count.once' };
      return { kind: 'map', id: node.id, needs: node.needs, over: '{{input.items}}', each };
    }),
    edges: [{ from: 'n5', to: 'n0', when: { field: 'again', equals: true }, max: 1 }],
  });
}

function graphOf(id: string, needs: (index: number) => number[]): Graph {
  return Graph.parse({
    id,
    nodes: range(0, NODES).map((index) => {
      const tool = TOOLS[index % TOOLS.length] ?? '';
      return {
        kind: 'tool',
        id: `n${index}`,
        tool,
        needs: needs(index).map((need) => `n${need}`),
        input: index % 3 === 0 && tool !== 'count.mail' ? { flaky: true } : {},
        timeout_seconds: 60,
        max_retries: 1,
      };
    }),
  });
}

export const runInput: Json = { items: ['a', 'b', 'c'] };

export function namesOf(round: number): { run: string; graph: Graph }[] {
  return Object.entries(shapes).map(([shape, graph]) => ({ run: `r${round}-${shape}`, graph }));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
