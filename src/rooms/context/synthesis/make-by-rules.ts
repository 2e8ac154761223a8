/**
 * Owns: making frames without a model, by a recipe: from a file, or from the frames of the children of a folder.
 *
 * M1 A frame is about the content that the tree names: a file that has changed since the scan is not described.
 * M2 Secrets are removed from a text before a frame gets it.
 * M3 The same inputs give the same frame, and one that is current is not made again.
 */
import { messageOf } from '../../../core/schema/errors.ts';
import type { Basis, NewFrame } from '../../../core/schema/frame.ts';
import { basisHash } from '../model/frame-id.ts';
import { endingOf, outlineOf } from '../outline/file-outline.ts';
import { baseName } from '../model/tree-rows.ts';
import type { InputFrame, TreeReader } from '../model/tree-store.ts';
import { digestFile } from './file-digest.ts';
import { fileBasis, folderBasis } from './frame-basis.ts';
import type { Made, MakePorts, Order } from './frame-order.ts';
import type { ChildFrame } from './synthesis-policies.ts';

/** What the tree knows about a node before its frame is made. */
export type Inputs = {
  frames: InputFrame[];
  /** Names of children that have no frame of the type that is taken. */
  bare: string[];
  head: string | null;
  headBasis: string | null;
  isStale: boolean;
};

/** All of them in one batch. */
export async function makeByRules(ports: MakePorts, workspace: string, orders: readonly Order[]): Promise<Made[]> {
  const inputs = await ports.tree.read(workspace, (reader) => orders.map((order) => readInputs(reader, order)));
  const drafts = await Promise.all(orders.map((order, at) => draftOf(ports, order, inputs[at] as Inputs)));
  const puts = await putDrafts(
    ports,
    workspace,
    drafts.flatMap((draft) => ('kind' in draft ? [] : [draft])),
  );
  let next = 0;
  return drafts.map((draft): Made => {
    if ('kind' in draft) return draft;
    next += 1;
    return puts[next - 1] as Made;
  });
}

/** Together; if one is refused, as when its file was scanned again meanwhile, one by one, so that the others are stored. */
async function putDrafts(
  { tree }: Pick<MakePorts, 'tree'>,
  workspace: string,
  drafts: readonly NewFrame[],
): Promise<Made[]> {
  if (drafts.length === 0) return [];
  try {
    const puts = await tree.put(workspace, drafts);
    return puts.map(({ id, isNew }) => ({ kind: isNew ? 'made' : 'unchanged', frame: id, tokens: 0, calls: 0 }));
  } catch (error) {
    if (drafts.length === 1) return [{ kind: 'failed', reason: messageOf(error), isFinal: false }];
    const made: Made[] = [];
    for (const draft of drafts) made.push(...(await putDrafts({ tree }, workspace, [draft])));
    return made;
  }
}

export function readInputs(reader: TreeReader, { node, type, recipe }: Order): Inputs {
  const head = reader.head(node.path, type);
  const frames = node.kind === 'folder' ? reader.childFrames(node.path, recipe.takes) : [];
  const described = new Set(frames.map(({ path }) => path));
  const bare = reader.children(node.path).filter(({ path }) => !described.has(path));
  return {
    frames,
    bare: bare.map(({ path, kind }) => (kind === 'folder' ? `${baseName(path)}/` : baseName(path))),
    head: head?.id ?? null,
    headBasis: head?.basis ?? null,
    isStale: head?.stale !== undefined,
  };
}

export function basisOf({ node, recipe }: Order, { frames }: Inputs): Basis {
  if (node.kind !== 'folder') return fileBasis(node.id, { ...recipe, ending: recipe.ending ?? endingOf(node.path) });
  return folderBasis(
    node.id,
    frames.map(({ frame }) => frame),
    recipe,
  );
}

export const isCurrent = ({ headBasis, isStale }: Inputs, basis: Basis): boolean =>
  headBasis === basisHash(basis) && !isStale;

export const reuseHead = ({ head }: Inputs): Made => ({ kind: 'unchanged', frame: head ?? '', tokens: 0, calls: 0 });

export const changedSinceScan = ({ node }: Order): Made => {
  return { kind: 'failed', reason: `${node.path} has changed since the scan`, isFinal: false };
};

async function draftOf(ports: MakePorts, order: Order, inputs: Inputs): Promise<NewFrame | Made> {
  const basis = basisOf(order, inputs);
  if (!order.isForced && isCurrent(inputs, basis)) return reuseHead(inputs);
  const content = await ruleText(ports, order, inputs);
  if (content === null) return changedSinceScan(order);
  const { node, type, agent } = order;
  return { path: node.path, node: node.id, type, agent, basis, content, origin: 'rule' };
}

async function ruleText(ports: MakePorts, order: Order, { frames, bare }: Inputs): Promise<string | null> {
  const { policies, readSource, redact } = ports;
  const { node, type, recipe, workspace } = order;
  if (node.kind === 'folder') {
    return redact(policies.aggregate(recipe.policy, await readChildFrames(ports, workspace, frames), type, bare));
  }
  const source = await readSource(workspace, node);
  if (source === null) return null;
  if (source.text === null) return `A file of ${node.size} bytes, which is too large to be described.\n`;
  if (isBinary(source.text)) return `A binary file of ${node.size} bytes.\n`;
  return redact(digestFile(outlineOf(redact(source.text), recipe.ending ?? endingOf(node.path)), type));
}

export const isBinary = (text: string): boolean => text.slice(0, 8000).includes('\0');

/** The frames of children with their texts. */
export async function readChildFrames(
  { tree }: Pick<MakePorts, 'tree'>,
  workspace: string,
  frames: readonly InputFrame[],
): Promise<ChildFrame[]> {
  const records = await tree.read(workspace, (reader) =>
    frames.map((input) => ({ input, row: reader.frame(input.frame), kind: reader.node(input.path)?.kind })),
  );
  return Promise.all(
    records.map(async ({ input, row, kind }) => ({
      name: baseName(input.path),
      kind: kind === 'folder' ? ('folder' as const) : ('file' as const),
      node: input.node,
      frame: {
        id: input.frame,
        type: input.type,
        agent: row?.agent ?? '',
        content: row === null ? '' : ((await tree.text(row)) ?? ''),
      },
    })),
  );
}
