/** Frames: what somebody understood of one node of a workspace, what it was made from, and how frames are selected. */
import { z } from 'zod';
import { Usage } from './effect.ts';
import { Instant, Sha256 } from './names.ts';
import { ArtifactRef } from './tool.ts';
import { NodeID, NodeRecord, TreePath, WorkspaceName } from './tree.ts';

export const FrameID = Sha256.describe(
  'A frame: the hash of basis, content, type and agent; where a model wrote it, of basis, type and agent.',
);
export type FrameID = z.infer<typeof FrameID>;

/** Types that are there without being declared. */
export const BUILT_IN_FRAME_TYPES = ['summary', 'outline', 'note'] as const;

export const FrameType = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,79}$/)
  .describe('What kind of frame it is, such as summary.');
export type FrameType = z.infer<typeof FrameType>;

export const AgentName = z.string().min(1).max(120).describe('The agent that wrote it; oka is the default.');
export const DEFAULT_AGENT = 'oka';

export const FrameOrigin = z
  .enum(['person', 'agent', 'rule', 'model'])
  .describe('How the text came about: a person or a program wrote it, code derived it, or a model answered it.');
export type FrameOrigin = z.infer<typeof FrameOrigin>;

export const Basis = z
  .strictObject({
    node: NodeID,
    inputs: z
      .array(FrameID)
      .max(1_000_000)
      .default([])
      .describe('The frames of children it was made from, ordered by node id, then by frame id.'),
    takes: z
      .union([FrameType, z.literal('*')])
      .optional()
      .describe('Which type of child frames it was made from; * = the heads of all types.'),
    policy: z.string().max(8000).optional().describe('How it was derived: the policy with its parameters.'),
    prompt: Sha256.optional().describe('Hash of the prompt, where a model wrote it.'),
    context: Sha256.optional().describe('Hash of the context the prompt was given.'),
    revision: z.int().positive().optional().describe('Raised by --force, so that a model is asked again.'),
  })
  .describe('Everything a frame was made from; a changed basis makes it stale.');
export type Basis = z.infer<typeof Basis>;

export const FrameDraft = z
  .strictObject({
    path: TreePath.describe('The node it is about, by path.'),
    node: NodeID.describe('The content of the node that was read; refused when the node is another one by now.'),
    type: FrameType,
    agent: AgentName.default(DEFAULT_AGENT),
    content: z.string().max(200_000).describe('The text.'),
    origin: FrameOrigin,
    basis: Basis,
    model: z.string().max(300).optional().describe('provider:model, where a model wrote it. Not part of the id.'),
    usage: Usage.optional(),
  })
  .describe('A frame that is to be added.');
export type FrameDraft = z.infer<typeof FrameDraft>;
export type NewFrame = z.input<typeof FrameDraft>;

const about = {
  id: FrameID,
  node: NodeID.describe('The node it is about, by content, when it was written.'),
  type: FrameType,
  basis: Sha256.describe('Hash of the basis.'),
  agent: AgentName,
  origin: FrameOrigin,
  model: z.string().max(300).optional().describe('provider:model, where a model wrote it.'),
};

export const FramePut = z
  .strictObject({
    workspace: WorkspaceName,
    path: TreePath,
    ...about,
    inputs: z.int().nonnegative().describe('How many frames it was made from; they are listed in the body.'),
    takes: Basis.shape.takes,
    body: ArtifactRef.describe('Basis and content (FrameBody).'),
    usage: Usage.optional(),
  })
  .describe('A frame was added to a node, and is the head of its type there.');
export type FramePut = z.infer<typeof FramePut>;

export const FrameInvalidated = z
  .strictObject({
    workspace: WorkspaceName,
    path: TreePath,
    frames: z.array(FrameID).min(1).max(10_000).describe('Which.'),
    reason: z.string().max(2000).describe('Why, for a person.'),
  })
  .describe('Frames were marked stale although their basis has not changed.');

export const FrameBody = z.strictObject({ basis: Basis, content: z.string() }).describe('What is stored of a frame.');
export type FrameBody = z.infer<typeof FrameBody>;

export const FrameRecord = z
  .strictObject({
    ...about,
    body: Sha256.describe('The artifact with basis and content.'),
    at: Instant.describe('When it was added to this node.'),
    seq: z.int().positive().describe('The event that added it to this node.'),
    is_head: z.boolean().describe('Whether it is the latest of its type.'),
    stale: z.string().optional().describe('Why it is stale; left out while it is current.'),
  })
  .describe('A frame without its text.');
export type FrameRecord = z.infer<typeof FrameRecord>;

export const Frame = z
  .strictObject({ ...FrameRecord.shape, path: TreePath, content: z.string().describe('The text.') })
  .describe('What somebody understood of one node of the workspace. Frames are added, never changed.');
export type Frame = z.infer<typeof Frame>;

const FrameFilter = z.strictObject({
  types: z.array(FrameType).optional().describe('Only these types.'),
  agents: z.array(AgentName).optional().describe('Only of these agents.'),
  since: Instant.optional().describe('Only frames added at or after this moment.'),
  until: Instant.optional().describe('Only frames added at or before this moment.'),
  current: z.boolean().optional().describe('Only heads that are not stale.'),
});

const ViewSource = z.union([
  z.enum(['node', 'parent', 'siblings']),
  z.strictObject({ related: z.array(z.string().max(16_384)).max(1000).describe('Paths or ids of other nodes.') }),
]);

export const ViewOrdering = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('recency').describe('The latest first.') }),
  z.strictObject({
    by: z.literal('type').describe('By type.'),
    priority: z.array(FrameType).default([]).describe('The first comes first.'),
  }),
  z.strictObject({
    by: z.literal('agent').describe('By agent.'),
    priority: z.array(AgentName).default([]).describe('The first comes first.'),
  }),
  z.strictObject({
    by: z.literal('relevance').describe('By how well they answer a question.'),
    question: z.string().min(1).max(10_000).describe('To what.'),
  }),
  z.strictObject({
    by: z.literal('custom').describe('By a function of a program.'),
    name: z.string().max(80).describe('A registered ordering.'),
  }),
]);
export type ViewOrdering = z.infer<typeof ViewOrdering>;

export const ContextView = z
  .strictObject({
    max_frames: z.int().min(0).max(1000).default(10).describe('Never more frames than this.'),
    sources: z.array(ViewSource).max(10).default(['node']).describe('Whose frames are candidates.'),
    ordering: ViewOrdering.default({ by: 'recency' }).describe('Which frames come first.'),
    filters: FrameFilter.default({}).describe('Which frames are left out.'),
  })
  .describe('Which frames of a node are wanted, and in which order.');
export type ContextView = z.infer<typeof ContextView>;

export const NodeContext = z
  .strictObject({
    node_id: NodeID,
    node_record: NodeRecord,
    frames: z.array(Frame).describe('Those that the view selected.'),
    frame_count: z.int().nonnegative().describe('How many frames the node has in all.'),
    children: z
      .array(NodeRecord)
      .optional()
      .describe('What is in a folder, ordered by name, the first ones; its size says how many there are.'),
  })
  .describe('A node and what is known about it.');
export type NodeContext = z.infer<typeof NodeContext>;
