/**
 * Owns: frames for a node and everything below it, made on request (`oka context synthesize`).
 *
 * S1 Nothing is made that was not asked for: only this type, and only at the node and below it.
 * S2 What a person or a program wrote, and is current, stays the head.
 * S3 A second request after the first changes nothing.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import type { SynthesisReport, SynthesisRequest } from '../../../core/schema/synthesis.ts';
import type { NodeRecord } from '../../../core/schema/tree.ts';
import { endingOf } from '../outline/file-outline.ts';
import type { TreeReader } from '../model/tree-store.ts';
import type { MakePorts, Order, WriteFrame } from './frame-order.ts';
import { depthOf, isOut, makeLevel, newTally } from './make-levels.ts';

export type Making = {
  writer: WriteFrame | null;
  signal: AbortSignal;
  progress?: (done: number, total: number) => void;
};

export async function synthesizeTree(
  ports: MakePorts,
  request: SynthesisRequest,
  { writer, signal, progress }: Making,
): Promise<SynthesisReport> {
  const { workspace } = request;
  const { path, orders } = await ports.tree.read(workspace, (reader) => ordersFor(reader, request));
  const tally = newTally();
  let done = 0;
  for (const level of byDepth(orders)) {
    if (signal.aborted || isOut(tally)) break;
    await makeLevel(ports, level, { tally, writer, signal, progress: () => progress?.((done += 1), orders.length) });
  }
  return ports.tree.read(workspace, (reader) => ({
    workspace,
    node: path,
    frame: reader.head(path, request.type)?.id ?? null,
    ...tally,
    left_stale: staleNow(reader),
  }));
}

/** Orders for the node and everything below it, whether or not their frames are current. */
export function ordersFor(reader: TreeReader, request: SynthesisRequest): { path: string; orders: Order[] } {
  if (reader.summary() === null) throw notScanned();
  const path = reader.find(request.node);
  const node = reader.node(path);
  if (node === null) throw notScanned();
  const orders = [...(request.recursive ? walk(reader, node) : [node])]
    .filter((one) => isWanted(reader, one, request))
    .map((one): Order => orderOf(one, request));
  return { path, orders };
}

function orderOf(node: NodeRecord, { workspace, type, takes, agent, policy, force, model }: SynthesisRequest): Order {
  const recipe = { policy, takes: takes ?? type, ...(node.kind === 'folder' ? {} : { ending: endingOf(node.path) }) };
  return { workspace, node, type, agent, recipe, isForced: force, model };
}

function* walk(reader: TreeReader, node: NodeRecord): Generator<NodeRecord> {
  if (node.kind === 'folder') for (const child of reader.children(node.path)) yield* walk(reader, child);
  yield node;
}

function isWanted(reader: TreeReader, node: NodeRecord, { type, takes, policy }: SynthesisRequest): boolean {
  if (node.kind === 'folder') return !isWrittenByHand(reader, node.path, type);
  if (node.kind !== 'file' || takes === '*' || (takes !== undefined && takes !== type)) return false;
  const describesFiles = policy.kind === 'summarization' || policy.kind === 'model';
  return describesFiles && !isWrittenByHand(reader, node.path, type);
}

/** Whether the head is current and was not derived: then it is what is known about the node. */
function isWrittenByHand(reader: TreeReader, path: string, type: string): boolean {
  const head = reader.head(path, type);
  return head !== null && head.stale === undefined && (head.origin === 'person' || head.origin === 'agent');
}

/** The deepest first. */
function byDepth(orders: readonly Order[]): Order[][] {
  const levels = new Map<number, Order[]>();
  for (const order of orders) {
    const depth = depthOf(order.node.path);
    const level = levels.get(depth);
    if (level === undefined) levels.set(depth, [order]);
    else level.push(order);
  }
  return [...levels].toSorted(([one], [other]) => other - one).map(([, level]) => level);
}

export const staleNow = (reader: TreeReader): SynthesisReport['left_stale'] =>
  reader.stale().map(({ path, type, reason }) => ({ path, type, reason }));

const notScanned = (): OkaError =>
  new OkaError('usage', 'the workspace has not been scanned yet', { fix: 'Run: oka context scan' });
