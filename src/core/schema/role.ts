/** The answers of planner, executor and critic when a model plays the role. The model reads the descriptions. */
import { z } from 'zod';
import { Figure } from './decision.ts';
import { type Json, JsonValue } from './json.ts';
import { NodeId } from './names.ts';

export const PlanStep = z
  .strictObject({
    id: NodeId.describe('Short name: letters, digits, dashes.'),
    title: z.string().min(1).max(200).describe('What the step does.'),
    needs: z.array(NodeId).max(20).default([]).describe('Ids of steps that must be done first.'),
    tool: z.string().max(120).optional().describe('A tool to call once, when its input is known now.'),
    input: JsonValue.optional().describe('The input of that tool, literally.'),
    goal: z.string().min(1).max(4000).optional().describe('Instead of tool: what a worker is to achieve.'),
    tools: z.array(z.string().max(120)).max(20).optional().describe('With goal: the tools the worker may use.'),
    accept: z.array(z.string().min(1).max(2000)).max(10).default([]).describe('Checks that must pass after this step.'),
    targets: z
      .array(z.string().min(1).max(500))
      .max(50)
      .default([])
      .describe('Files or globs the step may change; empty when it only reads.'),
    fallback: JsonValue.optional().describe('Output to continue with if the step fails.'),
  })
  .describe('One step of a plan.');
export type PlanStep = z.infer<typeof PlanStep>;

export const PlanAnswer = z
  .strictObject({
    title: z.string().min(1).max(200).describe('The task in a few words.'),
    criteria: z
      .array(z.string().min(1).max(2000))
      .max(20)
      .default([])
      .describe(
        'What must be true when all is done; at least one, unless criteria are given. In a new plan: what to add.',
      ),
    steps: z.array(PlanStep).min(1).max(20).describe('The steps.'),
  })
  .describe('A plan: a small graph of steps, and what must be true at the end.');
export type PlanAnswer = z.infer<typeof PlanAnswer>;

export const ImpossibleAnswer = z
  .strictObject({
    reason: z.string().min(1).max(4000).describe('What is missing, and what a person could do about it.'),
  })
  .describe('No plan can do the task with what is there.');

export const NoteAnswer = z
  .strictObject({ text: z.string().min(1).max(4000).describe('Facts you will need later.') })
  .describe('Keep a note.');

export const ShowAnswer = z
  .strictObject({ turns: z.array(z.int().positive()).min(1).max(20).describe('Numbers of the turns.') })
  .describe('See earlier results again.');

export const AskAnswer = z
  .strictObject({
    question: z.string().min(1).max(4000).describe('One question a person can answer without reading code.'),
    options: z.array(z.string().min(1).max(500)).max(20).optional().describe('The possible answers, if few.'),
  })
  .describe('Ask a person and wait.');

export const FinishAnswer = z
  .strictObject({
    output: JsonValue.describe('A sentence or JSON; how you rounded.'),
    figures: z.array(Figure).max(20).optional().describe('What you computed.'),
    why: z.string().max(1000).default('').describe('How you know that the goal is reached.'),
  })
  .describe('The goal is reached.');

export const FailAnswer = z
  .strictObject({ reason: z.string().min(1).max(4000).describe('What cannot be done and why.') })
  .describe('The goal cannot be reached.');

export const Claim = z
  .strictObject({
    criterion: z.string().min(1).max(20).describe('Its name, such as c1.'),
    holds: z.boolean().describe('Whether the evidence shows that it is met.'),
    evidence: z.string().max(400).describe('Their numbers, such as "E2 E5"; empty when there are none.'),
    quote: z.string().max(2000).default('').describe('Optional: words copied from these entries, a line of each.'),
  })
  .describe('What is said of one criterion.');
export type Claim = z.infer<typeof Claim>;

export const VerdictName = z.enum(['done', 'rework', 'blocked', 'impossible']).describe('The verdict on the whole.');
export type VerdictName = z.infer<typeof VerdictName>;

export const VerdictAnswer = z
  .strictObject({
    criteria: z.array(Claim).max(200).describe('Every criterion, once.'),
    verdict: VerdictName,
    reason: z.string().max(4000).describe('Why, and what to do better.'),
  })
  .describe('A judgement over every criterion.');
export type VerdictAnswer = z.infer<typeof VerdictAnswer>;

/** Where a value of a result comes from: a command that prints it, or why nothing can. */
export const ValueSource = z
  .strictObject({
    value: z.string().min(1).max(400).describe('The value.'),
    command: z.string().max(2000).default('').describe('Prints it from the files.'),
    why: z.string().max(400).default('').describe('Of a choice that no file can show.'),
  })
  .describe('Where a value comes from.');
export type ValueSource = z.infer<typeof ValueSource>;

/** The judgement again, with the sources of values that nothing shows yet. */
export const SourcedVerdict = VerdictAnswer.extend({
  sources: z.array(ValueSource).max(40).default([]).describe('Of each value in doubt.'),
}).describe('A judgement over every criterion.');

export const CriticReadInput = z
  .strictObject({
    path: z.string().min(1).max(1000).describe('A file of the desk.'),
    offset: z.int().nonnegative().optional().describe('First byte.'),
    length: z.int().positive().max(65_536).optional().describe('Bytes.'),
  })
  .describe('What the critic wants to read.');

export const CriticSearchInput = z
  .strictObject({
    pattern: z.string().min(1).max(1000).describe('A text to search for.'),
    path: z.string().min(1).max(1000).optional().describe('A folder of the desk.'),
  })
  .describe('What the critic searches for.');

/** Bounds are checked when an answer comes; a small model only needs to know the names, the kinds and the words. */
const DROPPED = new Set(
  `$schema pattern format default additionalProperties propertyNames minLength maxLength minItems maxItems
  minimum maximum exclusiveMinimum exclusiveMaximum`.split(/\s+/),
);

const leanSchemas = new WeakMap<z.ZodType, Json>();

/** The JSON schema of a tool's input as a model is shown it: short. Made once: every prompt needs those of all tools. */
export function leanSchemaOf(schema: z.ZodType): Json {
  const known = leanSchemas.get(schema);
  if (known !== undefined) return known;
  const made = lean(
    JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))) as Json,
  );
  leanSchemas.set(schema, made);
  return made;
}

/** What is wrong with an answer, in words that help to correct it. */
export function misfitsOf(error: z.ZodError): string {
  const issues = error.issues.slice(0, 8);
  return issues.map(({ path, message }) => `${path.map(String).join('.') || 'the answer'}: ${message}`).join('; ');
}

/** The names below `properties` are names, not keywords. */
function lean(schema: Json, isKeyword = true): Json {
  if (Array.isArray(schema)) return schema.map((each) => lean(each));
  if (schema === null || typeof schema !== 'object') return schema;
  const stored = Object.entries(schema).filter(([key]) => !isKeyword || !DROPPED.has(key));
  return Object.fromEntries(stored.map(([key, value]) => [key, lean(value, !(isKeyword && key === 'properties'))]));
}

/** The same of an answer of a role, whose tool says what the whole is, and whose lists say what their items are. */
export const answerSchemaOf = (schema: z.ZodType): Json => withoutDescription(withoutItemWords(leanSchemaOf(schema)));

function withoutItemWords(schema: Json): Json {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema;
  const isSaid = typeof schema['description'] === 'string';
  const parts = Object.entries(schema).map(([key, value]) => {
    const shown = withoutItemWords(value);
    return [key, key === 'items' && isSaid ? withoutDescription(shown) : shown] as const;
  });
  return Object.fromEntries(parts);
}

function withoutDescription(schema: Json): Json {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema;
  const { description: _, ...rest } = schema;
  return rest;
}
