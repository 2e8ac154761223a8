/** What a synthesis or a regeneration would make, and about what it would cost; nothing is made. */
import type { RegenerationRequest, SynthesisPlan, SynthesisRequest } from '../../../core/schema/synthesis.ts';
import type { NodeRecord } from '../../../core/schema/tree.ts';
import { parentPath } from '../model/tree-rows.ts';
import { isAtOrBelow, type TreeReader } from '../model/tree-store.ts';
import type { Order } from './frame-order.ts';
import { basisOf, isCurrent, readInputs } from './make-by-rules.ts';
import { headsInScope } from './regenerate-tree.ts';
import { ordersFor } from './synthesize-tree.ts';

type Planned = SynthesisPlan['frames'][number] & { tokens: number };

/** The words of a request, and a frame as a model writes it, in tokens. */
const PROMPT_TOKENS = 400;
const FRAME_TOKENS = 250;
const BYTES_PER_TOKEN = 4;
const MOST_FILE_TOKENS = 20_000;

export function planSynthesis(reader: TreeReader, request: SynthesisRequest): SynthesisPlan {
  const { path, orders } = ordersFor(reader, request);
  const open = orders.filter((order) => request.force || !isUpToDate(reader, order));
  const above = new Set(open.flatMap(({ node }) => [...ancestors(node.path)]));
  const planned = orders.filter((order) => open.includes(order) || above.has(order.node.path));
  const by = request.policy.kind === 'model' ? 'model' : 'rule';
  return summarize(
    request.workspace,
    path,
    planned.map(({ node, type }) => ({ path: node.path, type, by, tokens: costOf(reader, node, type) })),
  );
}

/** A frame of a model counts as up to date while it is not stale: what it was asked is not known here. */
function isUpToDate(reader: TreeReader, order: Order): boolean {
  const inputs = readInputs(reader, order);
  if (order.recipe.policy.kind !== 'model') return isCurrent(inputs, basisOf(order, inputs));
  const head = reader.head(order.node.path, order.type);
  return head?.origin === 'model' && head.stale === undefined;
}

/** Stale frames within the scope, and those above them that are made from them. */
export function planRegeneration(reader: TreeReader, request: RegenerationRequest): SynthesisPlan {
  const scope = reader.find(request.node);
  const planned = new Map<string, Planned>();
  const add = (path: string, type: string): void => {
    const node = reader.node(path);
    const head = reader.head(path, type);
    if (node === null || head === null || (head.origin !== 'rule' && head.origin !== 'model')) return;
    planned.set(`${path}//${type}`, { path, type, by: head.origin, tokens: costOf(reader, node, type) });
  };
  for (const { path, type } of headsInScope(reader, scope, request.recursive, request.force)) {
    add(path, type);
    let below = type;
    for (const above of ancestors(path)) {
      const taking = reader.heads(above).find(({ id }) => takesFrom(reader, id, below));
      if (taking === undefined || !request.recursive || !isAtOrBelow(above, scope)) break;
      add(above, taking.type);
      below = taking.type;
    }
  }
  return summarize(request.workspace, scope, [...planned.values()]);
}

function takesFrom(reader: TreeReader, frame: string, type: string): boolean {
  const takes = reader.frame(frame)?.takes;
  return takes === '*' || takes === type;
}

/** The folders above a path, the nearest first. */
export function* ancestors(path: string): Generator<string> {
  for (let above = parentPath(path); above !== null; above = parentPath(above)) yield above;
}

function costOf(reader: TreeReader, node: NodeRecord, type: string): number {
  if (node.kind !== 'folder') {
    return PROMPT_TOKENS + FRAME_TOKENS + Math.min(MOST_FILE_TOKENS, node.size / BYTES_PER_TOKEN);
  }
  const children = reader.children(node.path).length;
  const isKnown = reader.head(node.path, type) !== null;
  return PROMPT_TOKENS + FRAME_TOKENS * (2 + (isKnown ? 1 : children));
}

function summarize(workspace: string, node: string, planned: readonly Planned[]): SynthesisPlan {
  const asked = planned.filter(({ by }) => by === 'model');
  return {
    workspace,
    node,
    frames: planned.map(({ path, type, by }) => ({ path, type, by })),
    model_calls: asked.length,
    tokens: Math.round(asked.reduce((sum, { tokens }) => sum + tokens, 0)),
  };
}
