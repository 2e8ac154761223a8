/**
 * Owns: proving the rows of one context tree: every id, head and index is computed again and compared.
 * It reads rows and the bodies of frames, and changes nothing.
 */
import { FrameBody } from '../../../core/schema/frame.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { frameCount } from './frame-count.ts';
import { basisHash, frameId } from './frame-id.ts';
import { latestHeads } from './move-place.ts';
import { folderId } from '../scan/folder-id.ts';
import { fromPathText } from '../scan/path-text.ts';
import { refreshStale } from './stale-heads.ts';
import {
  type AttachedRow,
  type FolderRow,
  type FrameRow,
  joinPath,
  parentPath,
  baseName,
  findEntry,
  type PlaceRow,
  type SummaryRow,
  treeKeys,
} from './tree-rows.ts';

type TreeProblem = { what: 'node' | 'frame' | 'head' | 'basis' | 'index'; name: string; problem: string };
export type Validated = { nodes: number; frames: number; heads: number; bases: number; problems: TreeProblem[] };

/** `body` returns the stored text of a frame; null when it is lost or damaged. */
export async function validateTree(
  rows: Rows,
  workspace: string,
  body: (sha256: string) => Promise<string | null>,
): Promise<Validated> {
  const problems: TreeProblem[] = [];
  const report = (what: TreeProblem['what'], name: string, problem: string): void =>
    void problems.push({ what, name, problem });
  const nodes = checkNodes(rows, workspace, report);
  const frames = await checkFrames(rows, workspace, body, report);
  const heads = checkHeads(rows, workspace, report);
  const bases = checkBases(rows, workspace, report);
  return { nodes, frames, heads, bases, problems };
}

type Report = (what: TreeProblem['what'], name: string, problem: string) => void;

/** Every folder has the id of what is in it, and is where its parent says. */
function checkNodes(rows: Rows, workspace: string, report: Report): number {
  const prefix = treeKeys.folders(workspace);
  const totals = { files: 0, folders: 0, nodes: 0 };
  for (const [key, { id, entries }] of rows.each<FolderRow>(prefix)) {
    const path = key.slice(prefix.length);
    totals.folders += 1;
    totals.nodes += 1;
    totals.files += entries.filter(([, kind]) => kind === 'file').length;
    totals.nodes += entries.filter(([, kind]) => kind !== 'folder').length;
    const real = folderId(entries.map(([name, kind, own]) => ({ name: fromPathText(name), kind, id: own })));
    if (real !== id) report('node', path, `its id is ${id}, and what is in it has ${real}`);
    if (!isWhereParentSays(rows, workspace, path, id)) report('node', path, 'its parent says something else');
    for (const [name, kind] of entries)
      if (kind === 'folder' && rows.get(treeKeys.folder(workspace, joinPath(path, name))) === undefined)
        report('node', joinPath(path, name), 'the folder is missing');
  }
  const summary = rows.get<SummaryRow>(treeKeys.summary(workspace));
  const { files, folders } = totals;
  if (summary !== undefined && (summary.files !== files || summary.folders !== folders))
    report(
      'node',
      '',
      `${summary.files} files in ${summary.folders} folders are recorded, and ${files} in ${folders} found`,
    );
  return totals.nodes;
}

function isWhereParentSays(rows: Rows, workspace: string, path: string, id: string): boolean {
  const parent = parentPath(path);
  if (parent === null) return rows.get<SummaryRow>(treeKeys.summary(workspace))?.root === id;
  const entries = rows.get<FolderRow>(treeKeys.folder(workspace, parent))?.entries ?? [];
  return findEntry(entries, baseName(path))?.[2] === id;
}

/** Every frame has the id of what it was made from, and its body is there. */
async function checkFrames(
  rows: Rows,
  workspace: string,
  body: (sha256: string) => Promise<string | null>,
  report: Report,
): Promise<number> {
  const prefix = treeKeys.frames(workspace);
  let count = 0;
  for (const [key, frame] of rows.each<FrameRow>(prefix)) {
    const id = key.slice(prefix.length);
    count += 1;
    const problem = frameProblem(id, frame, await body(frame.body));
    if (problem !== null) report('frame', id, problem);
    const known = rows.get<string[]>(treeKeys.basis(workspace, frame.basis)) ?? [];
    if (!known.includes(id)) report('basis', frame.basis, `the frame ${id} is not listed`);
  }
  const attached = [...rows.each<AttachedRow>(treeKeys.allAttached(workspace))];
  if (attached.length !== frameCount(rows, workspace))
    report('index', 'frames', 'their number is not what was counted');
  return count;
}

function frameProblem(id: string, frame: FrameRow, text: string | null): string | null {
  if (text === null) return 'its body is lost or damaged';
  const { basis, content } = FrameBody.parse(JSON.parse(text));
  if (basisHash(basis) !== frame.basis) return 'its basis is another one';
  if (basis.inputs.join() !== frame.inputs.join()) return 'the frames it was made from are others';
  const real = frameId({ basis, content, type: frame.type, agent: frame.agent, origin: frame.origin });
  return real === id ? null : `its content has the id ${real}`;
}

/** Every head is the latest frame of its type, and stale exactly when its basis changed. */
function checkHeads(rows: Rows, workspace: string, report: Report): number {
  const prefix = treeKeys.places(workspace);
  let count = 0;
  for (const [key, place] of rows.each<PlaceRow>(prefix)) {
    const path = key.slice(prefix.length);
    count += place.heads.length;
    if (JSON.stringify(place.heads) !== JSON.stringify(latestHeads(rows, workspace, path)))
      report('head', path, 'a later frame of the same type is not the head');
    for (const [type, id] of place.heads)
      if (rows.get(treeKeys.frame(workspace, id)) === undefined) report('head', path, `the ${type} frame is missing`);
    const wrong = wronglyMarked(rows, workspace, path);
    if (wrong.length > 0) report('head', path, `whether ${wrong.join(', ')} is stale is wrong`);
  }
  return count;
}

/** Heads whose mark would change if it were made now. */
function wronglyMarked(rows: Rows, workspace: string, path: string): string[] {
  const changed: string[] = [];
  const start = treeKeys.stale(workspace, path, '');
  const watching: Rows = {
    get: (key) => rows.get(key),
    each: (keys, range) => rows.each(keys, range),
    put: (key) => void changed.push(key.slice(start.length)),
  };
  refreshStale(watching, workspace, path);
  return changed;
}

function checkBases(rows: Rows, workspace: string, report: Report): number {
  const prefix = treeKeys.bases(workspace);
  let count = 0;
  for (const [key, ids] of rows.each<string[]>(prefix)) {
    const basis = key.slice(prefix.length);
    count += 1;
    for (const id of ids)
      if (rows.get<FrameRow>(treeKeys.frame(workspace, id))?.basis !== basis)
        report('basis', basis, `the frame ${id} has another basis, or is missing`);
  }
  return count;
}
