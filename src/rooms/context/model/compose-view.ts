/**
 * Owns: which frames a view selects, and in which order (GetNode).
 *
 * C1 Never more frames than max_frames.
 * C2 Nothing is written, and the same rows and the same view give the same frames in the same order.
 * C3 A frame or node that is missing is skipped; an empty result is no error.
 */
import { OkaError } from '../../../core/schema/errors.ts';
import type { ContextView, Frame, FrameRecord, NodeContext, ViewOrdering } from '../../../core/schema/frame.ts';
import { compareText, type TreeReader } from './tree-store.ts';
import { parentPath } from './tree-rows.ts';

type Candidate = FrameRecord & { path: string };
/** Puts candidates in order. It has to be deterministic: the same candidates in any order give the same result. */
export type FrameOrdering = (candidates: readonly Frame[]) => readonly Frame[];

export type ViewPorts = {
  /** The text of a frame; null when it is lost. */
  text: (frame: Pick<FrameRecord, 'body'>) => Promise<string | null>;
  /** How relevant each text is to the question; higher is more. */
  relevance?: (question: string, texts: readonly string[]) => Promise<readonly number[]> | readonly number[];
  /** Orderings that were registered by name. */
  orderings?: Readonly<Record<string, FrameOrdering>>;
};

/** More candidates than this are not scored: the latest are. */
const MOST_SCORED = 1000;
const MOST_CHILDREN = 500;

export async function composeNode(
  tree: TreeReader,
  path: string,
  view: ContextView,
  ports: ViewPorts,
): Promise<NodeContext> {
  const record = tree.node(path);
  if (record === null)
    throw new OkaError('usage', `there is no node "${path}" in the context tree of ${tree.workspace}`, {
      fix: 'Scan again if the file is new: oka context scan',
    });
  const frames = view.max_frames === 0 ? [] : await selectFrames(tree, path, view, ports);
  const children = record.kind === 'folder' ? { children: tree.children(path).slice(0, MOST_CHILDREN) } : {};
  return { node_id: record.id, node_record: record, frames, frame_count: tree.frameCount(path), ...children };
}

async function selectFrames(tree: TreeReader, path: string, view: ContextView, ports: ViewPorts): Promise<Frame[]> {
  const candidates = filterFrames(collectFrames(tree, path, view), view.filters).toSorted(byRecency);
  const { ordering } = view;
  if (ordering.by !== 'relevance' && ordering.by !== 'custom')
    return withTexts(candidates.toSorted(orderOf(ordering)), ports, view.max_frames);
  const frames = await withTexts(candidates.slice(0, MOST_SCORED), ports, MOST_SCORED);
  const ordered =
    ordering.by === 'custom' ? customOrder(ordering.name, frames, ports) : await byRelevance(ordering, frames, ports);
  return ordered.slice(0, view.max_frames);
}

/** Each frame once a path, however often it was added. */
function collectFrames(tree: TreeReader, path: string, view: ContextView): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const from of sourcePaths(tree, path, view))
    for (const frame of tree.frames(from)) found.set(`${from}//${frame.id}`, { ...frame, path: from });
  return [...found.values()];
}

function sourcePaths(tree: TreeReader, path: string, { sources }: ContextView): Set<string> {
  const parent = parentPath(path);
  const paths = sources.flatMap((source): (string | null)[] => {
    if (source === 'node') return [path];
    if (source === 'parent') return [parent];
    if (source === 'siblings')
      return parent === null ? [] : tree.children(parent).flatMap((each) => (each.path === path ? [] : each.path));
    return source.related.map((name) => findRelated(tree, name));
  });
  return new Set(paths.filter((each) => each !== null));
}

/** What is not there is left out (C3). */
function findRelated(tree: TreeReader, name: string): string | null {
  try {
    return tree.find(name);
  } catch (error) {
    if (error instanceof OkaError) return null;
    throw error;
  }
}

function filterFrames(frames: readonly Candidate[], filters: ContextView['filters']): Candidate[] {
  const { types, agents, since, until, current } = filters;
  return frames.filter(
    (frame) =>
      (types === undefined || types.includes(frame.type)) &&
      (agents === undefined || agents.includes(frame.agent)) &&
      (since === undefined || Date.parse(frame.at) >= Date.parse(since)) &&
      (until === undefined || Date.parse(frame.at) <= Date.parse(until)) &&
      (current !== true || (frame.is_head && frame.stale === undefined)),
  );
}

/** The latest event first; two paths never share one, so the order is total. */
const byRecency = (a: Candidate, b: Candidate): number => b.seq - a.seq || compareText(a.path, b.path);

function orderOf(ordering: Exclude<ViewOrdering, { by: 'relevance' | 'custom' }>): typeof byRecency {
  if (ordering.by === 'recency') return byRecency;
  const { by, priority } = ordering;
  const rank = (frame: Candidate): number => {
    const place = (priority as readonly string[]).indexOf(frame[by]);
    return place === -1 ? priority.length : place;
  };
  return (a, b) => rank(a) - rank(b) || compareText(a[by], b[by]) || byRecency(a, b);
}

function customOrder(name: string, frames: readonly Frame[], { orderings = {} }: ViewPorts): readonly Frame[] {
  const ordering = Object.hasOwn(orderings, name) ? orderings[name] : undefined;
  if (ordering !== undefined) return ordering(frames);
  const names = Object.keys(orderings);
  throw new OkaError('usage', `there is no ordering "${name}"`, {
    fix: names.length === 0 ? 'None is registered.' : `There is ${names.join(', ')}.`,
  });
}

async function byRelevance(
  { question }: Extract<ViewOrdering, { by: 'relevance' }>,
  frames: readonly Frame[],
  { relevance }: ViewPorts,
): Promise<readonly Frame[]> {
  const texts = frames.map(({ path, content }) => `${path}\n${content}`);
  const scores = (await relevance?.(question, texts)) ?? [];
  return frames
    .map((frame, index) => ({ frame, score: scores[index] ?? 0 }))
    .toSorted((a, b) => b.score - a.score || byRecency(a.frame, b.frame))
    .map(({ frame }) => frame);
}

/** Reads texts until there are enough frames; one whose text is lost is skipped (C3). */
async function withTexts(candidates: readonly Candidate[], { text }: ViewPorts, most: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (const candidate of candidates) {
    if (frames.length >= most) break;
    const content = await text(candidate);
    if (content !== null) frames.push({ ...candidate, content });
  }
  return frames;
}
