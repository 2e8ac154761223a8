/** Synthesis: how frames are made from files and from other frames, what is asked for, and what was done. */
import { z } from 'zod';
import { AgentName, DEFAULT_AGENT, FrameID, FrameType } from './frame.ts';
import { DEFAULT_WORKSPACE, TreePath, WorkspaceName } from './tree.ts';

export const SynthesisPolicy = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('concatenation').describe('The frames of the children, one after the other.'),
    }),
    z.strictObject({
      kind: z
        .literal('summarization')
        .describe('First sentences, headings and exported names of files; a line for each child of a folder.'),
    }),
    z.strictObject({
      kind: z.literal('filtering').describe('Only frames of children that fit, one after the other.'),
      agents: z.array(z.string().min(1).max(120)).max(50).optional().describe('By one of these agents.'),
      contains: z.string().min(1).max(200).optional().describe('With this text in them, in capital or small letters.'),
    }),
    z.strictObject({
      kind: z.literal('custom').describe('A function that a program has registered.'),
      name: z.string().min(1).max(80).describe('Its name.'),
    }),
    z.strictObject({
      kind: z.literal('model').describe('A model writes it; every sentence names the lines or children it rests on.'),
      prompt: z.string().max(4000).optional().describe('What it is to pay attention to; part of the basis.'),
    }),
  ])
  .describe('How a frame is made from a file, or from the frames of the children of a folder.');
export type SynthesisPolicy = z.infer<typeof SynthesisPolicy>;

const DEFAULT_POLICY: SynthesisPolicy = { kind: 'summarization' };

export const SynthesisRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z
      .string()
      .max(16_384)
      .default('')
      .describe('A path below the root, or the beginning of an id; the root when left out.'),
    type: FrameType.default('summary').describe('The type of the frames that are made.'),
    takes: z
      .union([FrameType, z.literal('*')])
      .optional()
      .describe(
        'Which frames of children a folder is made from; the same type unless given, * = the heads of all types.',
      ),
    agent: AgentName.default(DEFAULT_AGENT).describe('In whose name.'),
    policy: SynthesisPolicy.default(DEFAULT_POLICY),
    recursive: z.boolean().default(true).describe('Also everything below it, first; else only the node itself.'),
    force: z.boolean().default(false).describe('Ask a model again, although nothing has changed.'),
    model: z.string().max(300).optional().describe('provider:model, where a model writes; otherwise that of the role.'),
  })
  .describe('Frames for a folder and everything below it, from the bottom to the top.');
export type SynthesisRequest = z.infer<typeof SynthesisRequest>;

export const RegenerationRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z
      .string()
      .max(16_384)
      .default('')
      .describe('A path below the root, or the beginning of an id; the root when left out.'),
    recursive: z.boolean().default(false).describe('Also everything below it.'),
    force: z.boolean().default(false).describe('Also frames that are current.'),
    model: z.string().max(300).optional().describe('provider:model, where a model writes; otherwise that of the role.'),
  })
  .describe('Frames that are stale are made again.');
export type RegenerationRequest = z.infer<typeof RegenerationRequest>;

const AtPath = { path: TreePath, type: FrameType };

export const SynthesisReport = z
  .strictObject({
    workspace: WorkspaceName,
    node: TreePath.describe('The scope: nothing outside it was changed.'),
    frame: FrameID.nullable().describe('The current frame of the node itself; null when it has none.'),
    made: z.array(z.strictObject({ ...AtPath, frame: FrameID })).describe('Frames that were added, in this order.'),
    made_count: z.int().nonnegative().optional().describe('How many, where not all are listed.'),
    unchanged: z.int().nonnegative().describe('Frames that were current already.'),
    failed: z.array(z.strictObject({ ...AtPath, reason: z.string() })).describe('What could not be made, and why.'),
    left_stale: z
      .array(z.strictObject({ ...AtPath, reason: z.string() }))
      .describe('What is stale now and was left: outside the scope, or written by hand.'),
    usage: z
      .strictObject({ calls: z.int().nonnegative(), tokens: z.int().nonnegative() })
      .describe('What models cost.'),
  })
  .describe('What a synthesis or a regeneration has done.');
export type SynthesisReport = z.infer<typeof SynthesisReport>;

export const SynthesisPlan = z
  .strictObject({
    workspace: WorkspaceName,
    node: TreePath,
    frames: z.array(z.strictObject({ ...AtPath, by: z.enum(['rule', 'model']) })).describe('What would be made.'),
    model_calls: z.int().nonnegative().describe('How often a model would be asked.'),
    tokens: z.int().nonnegative().describe('About how many tokens models would read and write.'),
  })
  .describe('What a synthesis or a regeneration would do.');
export type SynthesisPlan = z.infer<typeof SynthesisPlan>;

export const QuestionRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z.string().max(16_384).default('').describe('Only frames at this node and below it.'),
    question: z.string().min(1).max(4000).describe('What is asked about the workspace.'),
    tokens: z.int().min(200).max(200_000).default(6000).describe('The most that frames may cost in the prompt.'),
    model: z.string().max(300).optional().describe('provider:model; otherwise that of the role.'),
  })
  .describe('A question about a workspace that is answered from its frames.');
export type QuestionRequest = z.infer<typeof QuestionRequest>;

export const QuestionAnswer = z
  .strictObject({
    answer: z.string().nullable().describe('The answer; null without a model.'),
    sources: z
      .array(
        z.strictObject({
          path: TreePath,
          frame: FrameID,
          type: FrameType,
          text: z.string().describe('How the frame begins.'),
          stale: z.string().optional().describe('Why it is stale; left out while it is current.'),
        }),
      )
      .describe('The paths that the answer names; without a model those that fit best.'),
    tokens: z.int().nonnegative().describe('What the frames cost in the prompt.'),
    files_tokens: z.int().nonnegative().describe('About what the files themselves would have cost.'),
  })
  .describe('What frames say about a question.');
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

export const MapRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z.string().max(16_384).default('').describe('The folder that is mapped; the root when left out.'),
    tokens: z.int().min(50).max(200_000).default(2000).describe('The most that the map may cost.'),
  })
  .describe('The most used files with their most used names.');
export type MapRequest = z.infer<typeof MapRequest>;

export const InvalidationRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z.string().max(16_384).default('').describe('Whose frames; the root when left out.'),
    type: FrameType.optional().describe('Only of this type.'),
    recursive: z.boolean().default(false).describe('Also everything below it.'),
    reason: z.string().min(1).max(2000).default('marked stale by a person').describe('Why.'),
  })
  .describe('Frames that are to count as stale, although nothing they were made from has changed.');
export type InvalidationRequest = z.infer<typeof InvalidationRequest>;

export const ReadRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z.string().max(16_384).default('').describe('A path below the root, or the beginning of an id.'),
    question: z.string().min(1).max(2000).optional().describe('The frames that fit it come first; else the latest.'),
    types: z.array(FrameType).max(20).optional().describe('Only these types.'),
    sources: z
      .array(z.enum(['node', 'parent', 'siblings']))
      .max(3)
      .default(['node'])
      .describe('Whose frames.'),
    max_frames: z.int().min(1).max(100).default(10).describe('Never more than this.'),
  })
  .describe('A node, and which of its frames.');

export const WriteRequest = z
  .strictObject({
    workspace: WorkspaceName.default(DEFAULT_WORKSPACE),
    node: z.string().max(16_384).describe('A path below the root, or the beginning of an id.'),
    type: FrameType.default('note'),
    content: z.string().min(1).max(24_000).describe('The text.'),
    agent: AgentName.default(DEFAULT_AGENT).describe('In whose name.'),
  })
  .describe('A frame that an agent adds to a node.');

/** What the other tools of the context tree answer. */
export const ContextAnswerSchemas = {
  written: z.strictObject({ frame: FrameID }),
  invalidated: z.strictObject({ marked: z.array(z.strictObject(AtPath)).describe('Frames that are stale now.') }),
  map: z.strictObject({
    text: z.string().describe('The map.'),
    tokens: z.int().nonnegative().describe('What it costs.'),
    files: z.array(
      z.strictObject({
        path: TreePath,
        rank: z.number().describe('How much it is used; all ranks sum to 1.'),
        used_by: z.int().nonnegative().describe('How many files use it.'),
        names: z.array(
          z.strictObject({
            name: z.string(),
            line: z.int().positive(),
            used_by: z.int().nonnegative().describe('How many files use the name.'),
            declaration: z.string(),
          }),
        ),
      }),
    ),
    left_out: z.int().nonnegative().describe('Files that did not fit.'),
  }),
} as const;
