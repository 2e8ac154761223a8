/** The query about a node of a context tree. It reads the index of the tree, and works without a worker. */
import { z } from 'zod';
import { loadRoomsConfig } from '../../../kit/house/room-config.ts';
import { withTreeRows } from '../tree/tree-index.ts';
import { showNode, treeStatus, viewPorts } from '../tree/tree-queries.ts';
import { findWorkspace, listWorkspaces } from '../tree/workspaces.ts';
import type { Home } from '../../../core/schema/home.ts';
import { RegenerationRequest } from '../../../core/schema/synthesis.ts';
import { DEFAULT_WORKSPACE, TreeConfig } from '../../../core/schema/tree.ts';
import { planRegeneration } from '../synthesis/synthesis-plan.ts';
import { readTree, type TreeReader } from '../model/tree-store.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { TreeAnswer } from './tree-answers.ts';

type Answer = z.input<typeof TreeAnswer>;

const MOST_CHILDREN = 500;
const MOST_FRAMES = 50;

export const treeQuery = defineQuery({
  params: z.strictObject({
    workspace: z.string().default(DEFAULT_WORKSPACE).describe('Which workspace.'),
    path: z.string().max(16_384).default('').describe('The path below its root.'),
  }),
  answer: TreeAnswer,
  read: async ({ home, params }) => {
    const workspaces = listWorkspaces(home, TreeConfig.parse((await loadRoomsConfig(home))['tree']));
    const { name } = findWorkspace(workspaces, params.workspace);
    return withTreeRows(home, async (rows) => ({
      workspaces: workspaces.map((each) => each.name),
      ...(await describeNode(home, readTree(rows, name), params.path)),
    }));
  },
});

async function describeNode(home: Home, tree: TreeReader, path: string): Promise<Omit<Answer, 'workspaces'>> {
  const { workspace } = tree;
  const ports = viewPorts(home);
  const node = tree.node(path);
  const children = node === null ? [] : (await showNode(tree, path, ports)).children;
  const history: Answer['history'] = [];
  for (const frame of tree.frames(path).toReversed().slice(0, MOST_FRAMES))
    history.push({ ...frame, content: await ports.text(frame) });
  return {
    workspace,
    ...treeStatus(home, tree),
    node,
    path,
    children: children.slice(0, MOST_CHILDREN),
    more: Math.max(0, children.length - MOST_CHILDREN),
    history,
    plan: node === null ? { frames: 0, model_calls: 0, tokens: 0 } : planOf(tree, path),
  };
}

function planOf(tree: TreeReader, path: string): Answer['plan'] {
  const request = RegenerationRequest.parse({ workspace: tree.workspace, node: path, recursive: true });
  const { frames, model_calls, tokens } = planRegeneration(tree, request);
  return { frames: frames.length, model_calls, tokens };
}
