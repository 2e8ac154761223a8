/** Frames of the context tree, for programs that write their own. */
import { viewPorts } from '../tree/tree-queries.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { ContextView, DEFAULT_AGENT, type NewFrame } from '../../../core/schema/frame.ts';
import { composeNode } from '../model/compose-view.ts';
import { answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { openTreeForReading } from '../context-tree.ts';
import { jsonOperand, onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { renderFrame, renderNode, shownPath } from '../tree-text.ts';
import { changeTree, findHistory, openOutgoing, type TreeOptions, workspaceOf } from '../tree-access.ts';
import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { describeErrno } from '../../../core/ledger/disk.ts';
import type { PutResult } from '../tree-port.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { readableArtifacts } from '../tree/tree-index.ts';
import { diffScans } from '../model/tree-diff.ts';
import { number, text } from '../../../kit/cli/options.ts';

const workspace = text('NAME', 'Another workspace, by its name in tree.roots of config.json.');

type Values = TreeOptions & { view: string | undefined; max: number | undefined };

const ORDERINGS = ['recency', 'type', 'agent'];

const MOST_LISTED = 50;

const MARKS = { added: '+', changed: '~', removed: '-' } as const;

export const commands: Commands = {
  'context get-node': command({
    summary: 'Show a node, what is in it, and the frames that a view selects',
    operands: '<path|id>',
    options: {
      view: text('VIEW', 'recency, type, agent, a question, or a view as JSON.'),
      max: number('N', 'At most so many frames; 10 when left out.'),
      workspace,
    },
    example: 'oka context get-node desk/app --view "how is it tested" --json',
    run: async (call) => {
      const name = onlyOperand(call, 'node');
      await requireHome(call.home);
      const view = parseView(call.options);
      const opened = await openTreeForReading(call);
      const ports = viewPorts(call.home);
      return answer(
        await opened.read(workspaceOf(call.options), (tree) => composeNode(tree, tree.find(name), view, ports)),
      );
    },
    render: ({ node_record, frames, frame_count, children = [] }, terminal) => {
      const shown = frames.map((frame) => renderFrame(frame, terminal)).join('');
      const more = frame_count > frames.length ? `${frames.length} of ${frame_count} frames\n` : '';
      const inside = children.slice(0, MOST_LISTED).map((child) => `  ${renderNode(child, terminal)}`);
      if (node_record.size > inside.length && children.length > 0)
        inside.push(`  and ${node_record.size - inside.length} more\n`);
      return `${renderNode(node_record, terminal)}${inside.join('')}${shown === '' ? 'No frames.\n' : shown}${more}`;
    },
  }),
  'context put-frame': command({
    summary: 'Add a frame to a node: a text about it',
    operands: '<path|id> <file|->',
    options: {
      type: text('TYPE', 'summary, outline, note, or one that was declared; note when left out.'),
      agent: text('NAME', 'The agent that wrote it; oka when left out.'),
      workspace,
    },
    example: 'oka context put-frame desk/app notes.md --type note',
    /** Adds what somebody wrote about a node; the same text again changes nothing. */
    run: async (call) => {
      const [name, file, ...others] = call.operands;
      if (name === undefined || file === undefined || others.length > 0)
        throw new OkaError('usage', 'name the node, and the file with the text (- for what is piped in)');
      await requireHome(call.home);
      const workspace = workspaceOf(call.options);
      const content = await readContent(call, file);
      const { type = 'note', agent = DEFAULT_AGENT } = call.options;
      const opened = await openTreeForReading(call);
      const { path, node } = await opened.read(workspace, (tree) => {
        const found = tree.find(name);
        return { path: found, node: tree.node(found)?.id ?? '' };
      });
      const frame: NewFrame = { path, node, type, agent, content, origin: 'person', basis: { node } };
      const { artifacts } = await openOutgoing(call);
      const { sha256 } = await artifacts.put(JSON.stringify([frame]), { media: 'application/json' });
      const done = await changeTree(call, { kind: 'put_frames', workspace, frames: sha256 });
      const [result] = done as PutResult[];
      return answer({ path, id: result?.id ?? '', is_new: result?.isNew ?? false, type });
    },
    render: ({ path, id, is_new, type }) => {
      const what = is_new ? 'Added' : 'It was there already:';
      return `${what} ${type} ${id.slice(0, 12)} of ${shownPath(path)}.\n`;
    },
  }),
  'context list-frames': command({
    summary: 'List all frames of a node, the latest first; also of one that is gone',
    operands: '<path|id>',
    options: { type: text('TYPE', 'Only this type.'), workspace },
    example: 'oka context list-frames desk/app --type summary',
    run: async (call) => {
      const name = onlyOperand(call, 'node');
      await requireHome(call.home);
      const { type } = call.options;
      const opened = await openTreeForReading(call);
      return answer(
        await opened.read(workspaceOf(call.options), (tree) => {
          const path = findHistory(tree, name);
          return { path, frames: tree.frames(path).filter((frame) => type === undefined || frame.type === type) };
        }),
      );
    },
    render: ({ path, frames }, { dim }) => {
      if (frames.length === 0) return `${shownPath(path)} has no frames.\n`;
      return frames
        .toReversed()
        .map(({ id, type, agent, at, is_head, stale }) => {
          const mark = stale === undefined ? (is_head ? 'current' : 'replaced') : `stale: ${plainText(stale)}`;
          return `${id.slice(0, 12)}  ${at}  ${type}  ${plainText(agent)}  ${dim(mark)}\n`;
        })
        .join('');
    },
  }),
  'context get-head': command({
    summary: 'Show the latest frame of a type',
    operands: '<path|id>',
    options: { type: text('TYPE', 'Which type; summary when left out.'), workspace },
    example: 'oka context get-head desk/app --type note',
    run: async (call) => {
      const name = onlyOperand(call, 'node');
      await requireHome(call.home);
      const { type = 'summary' } = call.options;
      const opened = await openTreeForReading(call);
      const { text } = viewPorts(call.home);
      return answer(
        await opened.read(workspaceOf(call.options), async (tree) => {
          const path = findHistory(tree, name);
          const head = tree.head(path, type);
          const content = head === null ? null : await text(head);
          if (head !== null && content !== null) return { ...head, path, content };
          const types = tree.heads(path).map((each) => each.type);
          throw new OkaError('refused', `${shownPath(path)} has no ${type} frame`, {
            fix: types.length === 0 ? 'It has no frames.' : `It has ${types.join(', ')}.`,
          });
        }),
      );
    },
    render: (frame, terminal) => renderFrame(frame, terminal),
  }),
  'context diff': command({
    summary: 'List the nodes and frames that changed since a scan or a time',
    operands: '<root|time> [root|time]',
    options: { workspace },
    example: 'oka context diff 2026-01-31',
    run: async (call) => {
      const [from, to, ...others] = call.operands;
      if (from === undefined || others.length > 0)
        throw new OkaError('usage', 'say since when: a time, or the root of a scan', {
          fix: 'oka context diff 2026-01-31',
        });
      await requireHome(call.home);
      const opened = await openTreeForReading(call);
      const artifacts = readableArtifacts(call.home);
      const text = (sha256: string): Promise<string | null> =>
        artifacts.get({ sha256 }).then(
          (bytes) => bytes.toString(),
          () => null,
        );
      return answer(await opened.read(workspaceOf(call.options), (tree) => diffScans(tree, from, to, text)));
    },
    render: ({ nodes, frames }) => {
      const shown = nodes.filter(({ kind, change }) => kind !== 'folder' || change !== 'changed');
      const lines = [
        ...shown.map(({ change, path, kind }) => `${MARKS[change]} ${shownPath(path)}${kind === 'folder' ? '/' : ''}`),
        ...frames.map(
          ({ path, type, agent, id }) => `+ ${type} of ${shownPath(path)} by ${plainText(agent)}  ${id.slice(0, 12)}`,
        ),
        `${count(shown.length, 'node')} and ${count(frames.length, 'frame')} changed.`,
      ];
      return `${lines.join('\n')}\n`;
    },
  }),
};

/** A view is the name of an ordering, a question, or a view as JSON. */
function parseView({ view, max }: Values): ContextView {
  const result = ContextView.safeParse({ ...givenView(view), ...(max === undefined ? {} : { max_frames: max }) });
  if (result.success) return result.data;
  throw new OkaError('usage', `--view: ${result.error.issues[0]?.message ?? 'it is no view'}`, {
    fix: 'See oka schema context-view.',
  });
}

function givenView(view: string | undefined): object {
  if (view === undefined) return {};
  if (view.startsWith('{')) return jsonOperand(view, '--view') as object;
  if (ORDERINGS.includes(view)) return { ordering: { by: view } };
  return { ordering: { by: 'relevance', question: view } };
}

async function readContent({ stdin }: Pick<Call, 'stdin'>, file: string): Promise<string> {
  if (file === '-') return readAll(stdin);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OkaError('usage', messageOf(describeErrno(error, file)), { cause: error });
  }
}
