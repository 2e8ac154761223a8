/** The map of a folder of a workspace, made from its files as they are in the tree; nothing is stored. */
import { createTokenCounter } from '../../../kit/text/tokens.ts';
import type { MapRequest } from '../../../core/schema/synthesis.ts';
import type { NodeRecord } from '../../../core/schema/tree.ts';
import { mapWorkspace, type WorkspaceMap } from '../map/workspace-map.ts';
import type { SourceFile } from '../map/source-references.ts';
import { endingOf, outlineOf } from '../outline/file-outline.ts';
import type { ReadSource } from './frame-order.ts';
import type { ContextTree } from '../tree-port.ts';
import type { TreeReader } from '../model/tree-store.ts';

/** Larger files are data, not source. */
const MOST_BYTES = 1024 * 1024;
/** Files beyond this number are not read. */
const MOST_FILES = 20_000;
/** Between two pauses in which the process does other work. */
const SLICE = 50;

export async function mapFolder(
  { tree, readSource }: { tree: Pick<ContextTree, 'read'>; readSource: ReadSource },
  { workspace, node, tokens }: MapRequest,
): Promise<WorkspaceMap> {
  const files = await tree.read(workspace, (reader) => [...filesBelow(reader, node === '' ? '' : reader.find(node))]);
  const sources: SourceFile[] = [];
  for (const [at, file] of files.slice(0, MOST_FILES).entries()) {
    const text = (await readSource(workspace, file))?.text ?? null;
    if (text !== null && !text.slice(0, 8000).includes('\0'))
      sources.push({ path: file.path, text, outline: outlineOf(text, endingOf(file.path)) });
    if (at % SLICE === SLICE - 1) await new Promise(setImmediate);
  }
  const counter = await createTokenCounter('unknown');
  return mapWorkspace(sources, tokens, (text) => counter.count(text));
}

function* filesBelow(reader: TreeReader, path: string): Generator<NodeRecord> {
  for (const child of reader.children(path)) {
    if (child.kind === 'folder') yield* filesBelow(reader, child.path);
    else if (child.kind === 'file' && child.size <= MOST_BYTES) yield child;
  }
}
