/**
 * Owns: making stale frames again (`oka context regenerate`), and what that would cost.
 *
 * G1 Only frames that exist and whose basis has changed are made again, by the recipe in their basis.
 * G2 Nothing outside the scope is made: the node itself or, if asked, everything below it. What is left stale is named.
 * G3 What a person or a program wrote is never made again; it is named instead.
 * G4 A second regeneration after the first changes nothing.
 */
import { type Basis, FrameBody } from '../../../core/schema/frame.ts';
import type { RegenerationRequest, SynthesisReport } from '../../../core/schema/synthesis.ts';
import { isAtOrBelow, type TreeReader } from '../model/tree-store.ts';
import { type Recipe, recipeOf } from './frame-basis.ts';
import type { MakePorts, Order } from './frame-order.ts';
import { depthOf, isOut, makeLevel, newTally, type Tally } from './make-levels.ts';
import { type Making, staleNow } from './synthesize-tree.ts';

/** Reads what a frame was made from out of its stored body. */
export type ReadBasis = (body: string) => Promise<Basis | null>;

export const parseBasis = (body: string): Basis | null => {
  const read = FrameBody.safeParse(JSON.parse(body));
  return read.success ? read.data.basis : null;
};

type Head = { path: string; type: string; agent: string; body: string };

export async function regenerateTree(
  ports: MakePorts & { readBasis: ReadBasis },
  request: RegenerationRequest,
  making: Making,
): Promise<SynthesisReport> {
  const { workspace } = request;
  const path = await ports.tree.read(workspace, (reader) => reader.find(request.node));
  const tally = newTally();
  const tried = new Set<string>();
  while (!making.signal.aborted && !isOut(tally)) {
    const level = await nextLevel(ports, { ...request, node: path }, tried);
    if (level.length === 0) break;
    for (const { node, type } of level) tried.add(keyOf(node.path, type));
    const progress = (): void => making.progress?.(countOf(tally), tried.size);
    await makeLevel(ports, level, { tally, writer: making.writer, signal: making.signal, progress });
  }
  return ports.tree.read(workspace, (reader) => ({
    workspace,
    node: path,
    frame: reader.heads(path).find((head) => head.type === 'summary')?.id ?? reader.heads(path)[0]?.id ?? null,
    ...tally,
    left_stale: staleNow(reader),
  }));
}

const keyOf = (path: string, type: string): string => `${path}//${type}`;
const countOf = ({ made, failed, unchanged }: Tally): number => made.length + failed.length + unchanged;

/** The deepest stale frames within the scope that have not been tried and can be made. */
async function nextLevel(
  ports: MakePorts & { readBasis: ReadBasis },
  { workspace, node: scope, recursive, force, model }: RegenerationRequest,
  tried: ReadonlySet<string>,
): Promise<Order[]> {
  const heads = await ports.tree.read(workspace, (reader) => {
    const all = headsInScope(reader, scope, recursive, force).filter(
      ({ path, type }) => !tried.has(keyOf(path, type)) && reader.node(path) !== null,
    );
    const deepest = Math.max(...all.map(({ path }) => depthOf(path)), -1);
    return all
      .filter(({ path }) => depthOf(path) === deepest)
      .map((head) => ({ ...head, node: reader.node(head.path) }));
  });
  const orders = await Promise.all(
    heads.map(async ({ node, type, agent, body }): Promise<Order[]> => {
      const recipe = await recipeIn(ports, body, type);
      if (recipe === null || node === null) return [];
      return [{ workspace, node, type, agent, recipe, isForced: force, model }];
    }),
  );
  return orders.flat();
}

async function recipeIn({ readBasis }: { readBasis: ReadBasis }, body: string, type: string): Promise<Recipe | null> {
  const basis = await readBasis(body);
  return basis === null ? null : recipeOf(basis, type);
}

/** Derived heads that are stale, or all of them when forced. */
export function headsInScope(reader: TreeReader, scope: string, recursive: boolean, isForced: boolean): Head[] {
  const found = isForced ? [...derivedPlaces(reader, scope)] : reader.stale(scope);
  return found
    .filter(({ path }) => (recursive ? isAtOrBelow(path, scope) : path === scope))
    .flatMap(({ path, type }): Head[] => {
      const head = reader.head(path, type);
      if (head === null || (head.origin !== 'rule' && head.origin !== 'model')) return [];
      return [{ path, type, agent: head.agent, body: head.body }];
    });
}

function* derivedPlaces(reader: TreeReader, scope: string): Generator<{ path: string; type: string }> {
  for (const [path, place] of reader.places(scope)) {
    if (place.left === undefined) for (const [type] of place.heads) yield { path, type };
  }
}
