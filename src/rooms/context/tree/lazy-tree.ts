/** Owns: the context tree of a home that is opened at its first use: most hosts never read a frame. */
import type { OpenTree } from './open-tree.ts';

/** `isUsed` says whether there is a tree, whose rows are to be folded in the background. */
export function lazyTree(
  workspaces: OpenTree['workspaces'],
  isUsed: () => boolean,
  open: () => Promise<OpenTree>,
): OpenTree {
  let opened: Promise<OpenTree> | null = null;
  const tree = (): Promise<OpenTree> => (opened ??= open());
  return {
    workspaces,
    read: async (workspace, query) => (await tree()).read(workspace, query),
    text: async (frame) => (await tree()).text(frame),
    put: async (workspace, frames) => (await tree()).put(workspace, frames),
    invalidate: async (...marked) => (await tree()).invalidate(...marked),
    scan: async (workspace, options) => (await tree()).scan(workspace, options),
    recordScan: async (workspace, changes) => (await tree()).recordScan(workspace, changes),
    restore: async (workspace, from, to) => (await tree()).restore(workspace, from, to),
    compact: async (workspace, before) => (await tree()).compact(workspace, before),
    putStored: async (workspace, frames) => (await tree()).putStored(workspace, frames),
    poll: async () => {
      if (opened !== null || isUsed()) await (await tree()).poll();
    },
    close: async () => (await opened)?.close(),
  };
}
