/** The context tree: what the workspace contains. */
import { answer, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { bytes, count, plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { changeTree, findHistory, scanTree, workspaceOf } from '../tree-access.ts';
import { type ShownChild, showNode, treeStatus, viewPorts } from '../tree/tree-queries.ts';
import { openTreeForReading } from '../context-tree.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { renderFrame, renderNode, shownPath } from '../tree-text.ts';
import { validateHomeTree } from '../tree/validate-home-tree.ts';
import { findWorkspace } from '../tree/workspaces.ts';
import type { TreeReader } from '../model/tree-store.ts';
import { withTreeRows } from '../tree/tree-index.ts';
import { oldHistory } from '../model/compact-history.ts';
import { parseAge } from '../../../kit/cli/option-values.ts';
import { flag, parsedText, text } from '../../../kit/cli/options.ts';

const workspace = text('NAME', 'Another workspace, by its name in tree.roots of config.json.');

const MOST_SHOWN = 20;

const DEFAULT_MS = 90 * 24 * 3600 * 1000;

export const commands: Commands = {
  'context scan': command({
    summary: 'Read what has changed in the workspace into the context tree',
    options: { force: flag('Read every file, also those that look unchanged.'), workspace },
    example: 'oka context scan',
    /** Reads what has changed since the last scan, and records the difference as one event. */
    run: async (call) => {
      await requireHome(call.home);
      const workspace = workspaceOf(call.options);
      const progress = call.progress(`scanning ${workspace}`, 'files');
      const { force } = call.options;
      const result = await scanTree(call, workspace, { force, signal: call.signal, onProgress: progress.reach });
      progress.end();
      return answer({ workspace, ...result });
    },
    render: ({ root, base, files, folders, bytes: size, skipped, ...found }) => {
      const tree = `${count(files, 'file')} in ${count(folders, 'folder')}, ${bytes(size)}`;
      const noted =
        skipped === 0 ? '' : ` ${skipped} could not be read, or are too large (oka context show lists them).`;
      const { added, changed, removed, read } = found;
      const news =
        root === base
          ? 'Nothing has changed.'
          : `${added} added, ${changed} changed, ${removed} removed; ${count(read, 'file')} read.`;
      return `${news} ${tree}.${noted}\nRoot ${root.slice(0, 12)}\n`;
    },
  }),
  'context show': command({
    summary: 'Show a file or folder: what is in it, and what is known about it',
    operands: '[path]',
    options: { workspace },
    example: 'oka context show desk/app',
    run: async (call) => {
      const [name = '.', ...others] = call.operands;
      if (others.length > 0) throw new OkaError('usage', 'name one path');
      await requireHome(call.home);
      const opened = await openTreeForReading(call);
      const ports = viewPorts(call.home);
      return answer(await opened.read(workspaceOf(call.options), (tree) => showNode(tree, tree.find(name), ports)));
    },
    render: ({ node, children, heads, frame_count }, terminal) => {
      const history = frame_count > heads.length ? `${frame_count} frames in all: oka context list-frames\n` : '';
      const texts = heads.map((frame) => renderFrame(frame, terminal)).join('');
      return `${renderNode(node, terminal)}${texts}${history}${children.map((child) => renderChild(child, terminal)).join('')}`;
    },
  }),
  'context status': command({
    summary: 'Show the root, how many files and frames there are, and what is stale',
    options: { workspace },
    example: 'oka context status --json',
    run: async (call) => {
      await requireHome(call.home);
      const workspace = workspaceOf(call.options);
      const opened = await openTreeForReading(call);
      return answer(
        await opened.read(workspace, (tree) => ({
          workspace,
          ...treeStatus(call.home, tree),
          stale_paths: [...new Set(tree.stale().map(({ path }) => path))],
          gone: [...tree.places()].flatMap(([path, { left }]) =>
            left === undefined ? [] : [{ path, left_at: left.at }],
          ),
        })),
      );
    },
    render: (data) => {
      const { workspace, root, files, folders, frames, stale, scanned_at, stale_paths, gone } = data;
      if (root === null) return `${workspace} has not been scanned yet: oka context scan\n`;
      const lines = [
        `${workspace}: ${count(files, 'file')} in ${count(folders, 'folder')}, root ${root.slice(0, 12)}`,
        `${count(frames, 'frame')}, ${stale === 0 ? 'none of them stale' : `${stale} stale`}`,
        `last scan ${scanned_at}`,
        ...stale_paths.slice(0, MOST_SHOWN).map((path) => `  stale  ${plainText(path === '' ? '.' : path)}`),
        ...(stale_paths.length > MOST_SHOWN ? [`  and ${stale_paths.length - MOST_SHOWN} more`] : []),
        ...gone.slice(0, MOST_SHOWN).map(({ path }) => `  gone   ${plainText(path)}  (its frames are still there)`),
      ];
      return `${lines.join('\n')}\n`;
    },
    /** Only the numbers: whoever wants the paths asks for a report. */
    jsonLines: ({ root, files, folders, frames, stale, scanned_at }) => [
      { root, files, folders, frames, stale, scanned_at },
    ],
  }),
  'context validate': command({
    summary: 'Compute every id, head and index again; exit 1 if one is wrong',
    options: { workspace },
    example: 'oka context validate',
    run: async (call) => {
      await requireHome(call.home);
      const workspace = workspaceOf(call.options);
      findWorkspace((await openTreeForReading(call)).workspaces, workspace);
      const found = await validateHomeTree(call.home, workspace);
      return answer({ workspace, ...found }, found.problems.length === 0 ? exits.ok : exits.no);
    },
    render: ({ workspace, nodes, frames, heads, bases, problems }) => {
      const checked = `${count(nodes, 'node')}, ${count(frames, 'frame')}, ${count(heads, 'head')}, ${count(bases, 'basis', 'bases')}`;
      if (problems.length === 0) return `${workspace} is intact: ${checked}.\n`;
      const lines = problems.map(({ what, name, problem }) => `  ${what}  ${plainText(name)}: ${plainText(problem)}`);
      return `${count(problems.length, 'problem')} in ${workspace} (${checked}):\n${lines.join('\n')}\nMake the index again: oka rebuild\n`;
    },
  }),
  'context restore': command({
    summary: 'Give the frames of a path that is gone to another path',
    operands: '<gone> <path>',
    options: { workspace },
    example: 'oka context restore desk/old.md desk/new.md',
    /** For a file that was moved and changed at once, which no scan can recognise. */
    run: async (call) => {
      const [given, target, ...others] = call.operands;
      if (given === undefined || target === undefined || others.length > 0)
        throw new OkaError('usage', 'name the path that is gone, and the one that gets its frames');
      await requireHome(call.home);
      const workspace = workspaceOf(call.options);
      const opened = await openTreeForReading(call);
      const { from, to } = await opened.read(workspace, (tree) => ({
        from: pathOfHistory(tree, given),
        to: tree.find(target),
      }));
      await changeTree(call, { kind: 'restore_node', workspace, from, to });
      return answer({ from, to });
    },
    render: ({ from, to }) => `The frames of ${shownPath(from)} belong to ${shownPath(to)} now.\n`,
  }),
  'context compact': command({
    summary: 'Remove old frames, and paths that are gone, from the index',
    options: {
      'older-than': parsedText('AGE', 'How old at least; 90d when left out.', parseAge),
      'dry-run': flag('Only say what would be removed.'),
      workspace,
    },
    example: 'oka context compact --older-than 90d --dry-run',
    run: async (call) => {
      await requireHome(call.home);
      const { olderThan, dryRun } = call.options;
      const workspace = workspaceOf(call.options);
      const before = new Date(Date.now() - (olderThan?.ms ?? DEFAULT_MS)).toISOString();
      const counts = dryRun
        ? await withTreeRows(call.home, (rows) => {
            const { nodes, attached } = oldHistory(rows, workspace, before);
            return { nodes: nodes.length, frames: attached.length };
          })
        : ((await changeTree(call, { kind: 'compact_tree', workspace, before })) as { nodes: number; frames: number });
      return answer({ ...counts, before, dry_run: dryRun });
    },
    render: ({ nodes, frames, dry_run }) => {
      if (nodes === 0 && frames === 0) return 'Nothing is old enough.\n';
      const what = `${count(frames, 'frame')}, and ${count(nodes, 'path')} that had left the tree`;
      return dry_run
        ? `Would remove ${what}, from the index.\n`
        : `Removed ${what}, from the index; the ledger has them.\n`;
    },
  }),
};

function renderChild({ path, kind, reason, heads, stale_below }: ShownChild, { dim }: Terminal): string {
  const name =
    plainText(path.slice(path.lastIndexOf('/') + 1)) + (kind === 'folder' ? '/' : kind === 'link' ? '@' : '');
  const types = heads.map(({ type, stale }) => (stale === undefined ? type : `${type} (stale)`));
  const below = stale_below === 0 ? [] : [`${stale_below} stale below`];
  const notes = [...(reason === undefined ? [] : [reason]), ...types, ...below].join(', ');
  return notes === '' ? `  ${name}\n` : `  ${name}  ${dim(notes)}\n`;
}

/** A path that the tree does not know is passed on as it is: the error of whoever restores it says what is wrong. */
function pathOfHistory(tree: TreeReader, given: string): string {
  return tree.node(given) === null && !/^[0-9a-f]{4,64}$/.test(given) ? given : findHistory(tree, given);
}
