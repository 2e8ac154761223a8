import { z } from 'zod';
import { Id, Instant, NodeId } from './names.ts';

export const Evidence = z
  .strictObject({
    run: Id.nullable().describe('The run, if there was one.'),
    seq: z.int().positive().describe('The event in the ledger.'),
  })
  .describe('Where something is known from.');
export type Evidence = z.infer<typeof Evidence>;

export const Fact = z
  .strictObject({
    id: Id,
    namespace: z.string().max(120).default('general').describe('Topic under which it is stored.'),
    text: z.string().min(1).max(4000).describe('The fact or preference, in one or two sentences.'),
    importance: z.number().min(0).max(1).default(0.5).describe('How much it should weigh when memory is searched.'),
    confidence: z.number().min(0).max(1).default(0.5).describe('How sure it is.'),
    source: z
      .enum(['person', 'task', 'run', 'tool', 'import'])
      .describe('Who said it. What tools say never becomes a fact by itself.'),
    expires: Instant.optional().describe('After this moment it is no longer used.'),
    from: Id.optional().describe('The member of the fleet that shared it; left out where it was learned here.'),
    superseded_by: Id.optional().describe('The newer fact that took its place.'),
    evidence: z.array(Evidence).min(1).max(100).describe('The events behind it.'),
  })
  .describe('Something the assistant believes, with its evidence.');
export type Fact = z.infer<typeof Fact>;

export const Forgotten = z
  .enum(['deleted', 'expired', 'unused', 'undone', 'withdrawn'])
  .describe(
    'A person removed them, they expired, they were never used, the change was undone, or whoever stated or shared them does so no longer.',
  );

/** Facts of this namespace are standing instructions: they are in every pack to which they apply. */
export const STANDING = 'standing';

export const FactGiven = Fact.omit({ evidence: true, superseded_by: true })
  .extend({
    supersedes: z.array(Id).max(100).default([]).describe('Older facts that it replaces.'),
    evidence: z
      .array(Evidence)
      .max(100)
      .default([])
      .describe('Earlier events that are evidence for it, besides the one that stores it.'),
  })
  .describe('A fact as it is stored.');
export type FactGiven = z.infer<typeof FactGiven>;

export const EpisodeRole = z
  .enum(['user', 'assistant', 'tool'])
  .describe('Whether a person, an assistant or a program said it.');
export type EpisodeRole = z.infer<typeof EpisodeRole>;

export const Episode = z
  .strictObject({
    id: z.string().min(1).max(200).describe('Its name where it comes from.'),
    text: z.string().min(1).max(100_000).describe('What was said.'),
    at: Instant.describe('When it was said.'),
    who: z.string().max(200).default('someone').describe('Who said it.'),
    role: EpisodeRole.optional(),
    own: z.boolean().optional().describe('Whether the operator said it; decided when it is imported.'),
    thread: z.string().min(1).max(200).optional().describe('The conversation it is part of.'),
    namespace: z.string().max(120).default('import').describe('Where it belongs, such as a conversation.'),
  })
  .describe('Something that was said elsewhere.');
export type Episode = z.infer<typeof Episode>;

export const PackSection = z
  .enum(['standing', 'graph', 'facts', 'episodes', 'procedures', 'frames'])
  .describe(
    'Part of a pack: standing instructions, the task at hand, facts, what happened, procedures, the workspace.',
  );
export type PackSection = z.infer<typeof PackSection>;

const packed = {
  id: z.string().max(400).describe('Name of the item.'),
  section: PackSection,
  score: z.number().describe('How well it fits; higher is better.'),
  tokens: z.int().nonnegative().describe('What it costs, counted for the model that is asked.'),
  evidence: z.array(Evidence).max(100).describe('The events behind it.'),
};

export const PackManifest = z
  .strictObject({
    role: z.enum(['planner', 'executor', 'critic']).describe('Who gets it.'),
    node: NodeId.nullable().describe('The node that asks; null when it is the run as a whole.'),
    query: z.string().max(500).describe('The query, if it is short.'),
    cap: z.int().nonnegative().describe('The most it may cost in tokens.'),
    tokens: z.int().nonnegative().describe('What it costs.'),
    counter: z.string().max(80).describe('How tokens were counted.'),
    by: z.enum(['keywords', 'keywords and vectors']).describe('How it was found.'),
    items: z
      .array(
        z.strictObject({
          ...packed,
          signs: z
            .array(z.int().nonnegative())
            .max(8)
            .optional()
            .describe('Checksums of words that it adds to the query, by which it is noticed whether it was used.'),
        }),
      )
      .max(1000)
      .describe('What is in it, best first.'),
    dropped: z
      .array(
        z.strictObject({
          ...packed,
          why: z
            .enum(['over the cap', 'over its share', 'too many', 'too long', 'said already'])
            .describe('Why it is not in it.'),
        }),
      )
      .max(200)
      .describe('What was found and left out, best first.'),
    more: z.int().nonnegative().describe('How many more were left out.'),
  })
  .describe('What went into a context pack, what did not, and why.');
export type PackManifest = z.infer<typeof PackManifest>;

const share = (least: number): z.ZodDefault<z.ZodNumber> => z.number().min(0).max(1).default(least);

export const MemoryConfig = z
  .strictObject({
    cap: z.int().min(0).max(200_000).default(2000).describe('The most tokens that memory may use in a prompt.'),
    facts: z.int().min(0).max(1000).default(24).describe('The most facts in a pack.'),
    episodes: z.int().min(0).max(1000).default(120).describe('The most episodes in a pack.'),
    procedures: z.int().min(0).max(3).default(3).describe('The most procedures in a pack.'),
    shares: z
      .strictObject({
        standing: z.number().min(0).max(0.2).default(0.2).describe('Standing instructions; at most a fifth.'),
        graph: share(0.2).describe('The task at hand and what is around it.'),
        facts: share(0.4).describe('Facts.'),
        episodes: share(0.75).describe('What happened.'),
        procedures: share(0.3).describe('Procedures.'),
        frames: share(0.2).describe('The workspace.'),
      })
      .prefault({})
      .describe('The most each part may take of a pack.'),
    vectors: z.boolean().default(true).describe('Whether semantic search is used, too; false = keywords only.'),
    model: z
      .string()
      .max(200)
      .default('Xenova/all-MiniLM-L6-v2')
      .describe('The model that turns texts into vectors; the default one comes with oka.'),
    model_download: z
      .boolean()
      .default(false)
      .describe('Whether another model may be fetched from the network the first time it is used.'),
  })
  .describe('What is remembered: how much of it goes into a prompt, and how it is found.');
export type MemoryConfig = z.infer<typeof MemoryConfig>;
