/** The id of a graph that is given by its name or by its file. What it remembers is there also when its file is gone. */
import { loadGraph } from '../graphs/graph-files.ts';
import { nodeKinds } from '../house/room-contributions.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';
import type { Call } from './command-module.ts';

export async function graphIdOf(given: string | undefined, { rooms }: Pick<Call, 'rooms'>): Promise<string> {
  if (given === undefined) throw new OkaError('usage', 'the graph is missing', { fix: 'Give its name or its file.' });
  if (ID_SHAPE.test(given) && !given.endsWith('.json')) return given;
  if (given.includes('/') || given.endsWith('.json')) return loadGraph(given, await nodeKinds(rooms)).id;
  throw new OkaError('usage', `"${given}" is neither the name of a graph nor a file`);
}

/** Refuses words that a command does not take. */
export function assertNoMore(operands: readonly string[], most: number): void {
  if (operands.length > most) throw new OkaError('usage', `"${operands.slice(most).join(' ')}" is too much here`);
}

/** The operands <graph> <key>, and nothing behind them. */
export async function graphAndKey(call: Call): Promise<{ graph: string; key: string }> {
  assertNoMore(call.operands, 2);
  const [name, key] = call.operands;
  const graph = await graphIdOf(name, call);
  if (key !== undefined) return { graph, key };
  throw new OkaError('usage', 'the key is missing', { fix: `See all: oka graph state show ${graph}` });
}
