/** What an agent is: a markdown file in .oka/rules/agents whose front matter sets limits and whose body is its persona. */
import { z } from 'zod';
import { ModelName } from './model.ts';
import { Budgets } from './run.ts';

/** The agent that is always there. */
export const OKA_AGENT = 'oka';

/** The name of an agent is that of its file, and what people write behind the @. */
export const AGENT_NAME = /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;
export const LONGEST_AGENT_NAME = 40;

/** Names that mean something else in a conversation. */
export const RESERVED_AGENT_NAMES: readonly string[] = ['all', 'user', 'system'];

const AgentName = z
  .string()
  .max(LONGEST_AGENT_NAME)
  .regex(AGENT_NAME, 'must be lower-case letters, digits, and single dashes or underscores between them')
  .describe('The name of an agent.');

export const AgentRole = z
  .enum(['reader', 'writer', 'synthesis'])
  .describe(
    'reader: changes nothing. writer: may change files and add frames to the context tree. synthesis: makes frames of folders out of the frames in them.',
  );
export type AgentRole = z.infer<typeof AgentRole>;

export const AgentCapability = z
  .enum(['read', 'write', 'external', 'frames', 'synthesize'])
  .describe(
    'read: calls that change nothing. write: changes on the desk. external: changes elsewhere, as far as the policy allows. frames: adds frames. synthesize: makes frames of folders.',
  );
export type AgentCapability = z.infer<typeof AgentCapability>;

/** What a role may have, the default of its capabilities first. */
export const ROLE_CAPABILITIES: Readonly<
  Record<AgentRole, { default: readonly AgentCapability[]; most: readonly AgentCapability[] }>
> = {
  reader: { default: ['read'], most: ['read'] },
  writer: { default: ['read', 'write', 'frames'], most: ['read', 'write', 'external', 'frames', 'synthesize'] },
  synthesis: { default: ['read', 'frames', 'synthesize'], most: ['read', 'frames', 'synthesize'] },
};

export const AgentFile = z
  .strictObject({
    description: z.string().trim().min(1).max(500).default('').describe('What it is for, in one sentence.'),
    role: AgentRole.default('reader'),
    capabilities: z
      .array(AgentCapability)
      .max(10)
      .optional()
      .describe(
        'What its calls may do at most. Default: read for a reader; read, write and frames for a writer; read, frames and synthesize for a synthesis agent.',
      ),
    model: ModelName.optional().describe('provider:model. Default: the model that serves everything else.'),
    tools: z
      .array(z.string().min(1).max(120))
      .max(200)
      .optional()
      .describe('The tools it may use; * at the end matches a family. Default: all that its capabilities allow.'),
    budget: Budgets.prefault({}).describe('Upper limits of one reply; what is left out is limited by the policy.'),
    mentions: z
      .array(AgentName)
      .max(100)
      .optional()
      .describe('Agents that it may mention. Default: any; an empty list: none.'),
    frames: z
      .array(
        z
          .string()
          .max(80)
          .regex(/^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/, 'must be a short name in lower case, such as summary'),
      )
      .max(50)
      .default([])
      .describe('Types of frames that it declares, besides summary, outline and note, which are always there.'),
  })
  .describe('Front matter of an agent, .oka/rules/agents/NAME.md; the text below it is its persona. People write it.');
export type AgentFile = z.infer<typeof AgentFile>;

export type Agent = Readonly<
  Omit<AgentFile, 'capabilities'> & {
    name: string;
    capabilities: readonly AgentCapability[];
    /** Its persona and instructions: the body of the file. */
    persona: string;
    /** Where it is defined; null for oka without a file of its own. */
    file: string | null;
    /** The hash of the file, so that a record can name the version that answered. */
    sha256: string;
  }
>;
