/** Fakes for the engine's ports: time that a test sets, tools that do what a test says, artifacts in memory. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { callChain, type Invoke } from '../../src/core/engine/middleware-chain.ts';
import { createEngine, type Engine } from '../../src/core/engine/engine.ts';
import type { EngineOptions } from '../../src/core/engine/engine-context.ts';
import type { Event, EventType } from '../../src/core/schema/event.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import { type Json, JsonValue } from '../../src/core/schema/json.ts';
import type { ArtifactStore, Middleware } from '../../src/core/schema/ports.ts';
import type { SideEffectClass } from '../../src/core/schema/effect.ts';
import { type Outcome, type Tool, ToolAnnotations, type ToolCall } from '../../src/core/schema/tool.ts';
import { crashingEvents } from './engine-crash.ts';

export type Time = { now: number; clock: () => number; sleep: (ms: number, signal?: AbortSignal) => Promise<void> };

/** Sleeping moves the clock and takes no time. */
export function fakeTime(): Time {
  const time: Time = {
    now: Date.parse('2030-01-01T00:00:00Z'),
    clock: () => time.now,
    sleep: async (ms) => void (time.now += ms),
  };
  return time;
}

type Act = (input: Json, call: ToolCall) => Outcome | Promise<Outcome>;
type Kind = Partial<Omit<Tool, 'name' | 'annotations'>> & {
  class?: SideEffectClass;
  annotations?: z.input<typeof ToolAnnotations>;
};

export function toolNamed(name: string, act: Act, kind: Kind = {}): Tool {
  const { class: effect = 'read', annotations = {}, ...rest } = kind;
  return {
    name,
    about: `The tool ${name}.`,
    input: JsonValue,
    output: JsonValue,
    annotations: ToolAnnotations.parse({ read_only: effect === 'read', ...annotations }),
    targets: [],
    classOf: () => effect,
    invoke: async (input, call) => act(input, call),
    ...rest,
  };
}

export const ok = (output: Json = null): Outcome => ({ status: 'ok', output });
export const failed = (error: string): Outcome => ({ status: 'failed', error });

/** A graph without bounds, unless they are given. */
export function graphOf(nodes: unknown[], rest: Record<string, unknown> = {}): Graph {
  return Graph.parse({ id: 'g', mode: 'flex', nodes, ...rest });
}

export type Seen = { engine: Engine; events: readonly Event[]; time: Time };

/** An engine over events that a test can read; `survived` is what an engine before it left. */
export function engineWith(options: Partial<EngineOptions>, survived: readonly Event[] = []): Seen {
  const time = fakeTime();
  const events = crashingEvents(time.clock, survived, Number.POSITIVE_INFINITY);
  const engine = createEngine({
    tools: [],
    clock: time.clock,
    sleep: time.sleep,
    ...options,
    stores: { events, ...options.stores },
  });
  return { engine, events: events.all, time };
}

export function dataOf<T extends EventType>(events: readonly Event[], type: T): Extract<Event, { type: T }>['data'][] {
  return events.flatMap((event) => (event.type === type ? [event.data as never] : []));
}

export function memoryArtifacts(): ArtifactStore & { kept: Map<string, Buffer> } {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    put: async (body, about = {}) => {
      const bytes = Buffer.from(body);
      const sha256 = hash('sha256', bytes);
      kept.set(sha256, bytes);
      return { sha256, bytes: bytes.length, media: about.media ?? 'text/plain' };
    },
    get: async ({ sha256 }) => kept.get(sha256) ?? Promise.reject(new Error(`no artifact ${sha256}`)),
  };
}

const endless = Number.POSITIVE_INFINITY;
export const everythingLeft = {
  tokens: endless,
  usd: endless,
  tool_calls: endless,
  retries: endless,
  output_bytes: endless,
  seconds: endless,
};

/** A call as a middleware sees it. */
export function callOf(change: Partial<ToolCall> = {}): ToolCall {
  return {
    run: 'r',
    node: 'n',
    call: 'r.n.0.1',
    attempt: 1,
    tool: 'look',
    class: 'read',
    input: null,
    key: null,
    author: 'operator',
    origins: () => ({}),
    signal: new AbortController().signal,
    bounds: { timeoutMs: null, retries: 0, tools: null, classes: null, ask: false },
    left: () => everythingLeft,
    approval: null,
    previous: null,
    intend: () => Promise.resolve(),
    act: () => Promise.reject(new Error('nothing to act on')),
    ...change,
  };
}

/** A promise that is settled from outside. */
export const latch = <T = void>(): PromiseWithResolvers<T> => Promise.withResolvers<T>();

/** One middleware alone, around a stand-in for the rest of the chain. */
export function through(layer: Middleware): (call: ToolCall, inner: Invoke) => Promise<Outcome> {
  return (call, inner) => callChain([layer], inner)(call);
}
