/**
 * Owns: model.complete, which makes a turn of a model a recorded tool call.
 *
 * 1. The most a turn may cost is reserved before it; what it did cost is reported whether it succeeded or not.
 * 2. A rate limit is respected: the next turn of that model waits, or fails without a request if the wait would be long.
 * 3. An invalid call is an answer with a problem, not a failure: the model gets the problem and is asked again, which is
 *    better than repeating the same request.
 * 4. In a strict run an answer is sampled at temperature 0 and with a seed, whatever else is asked for or configured.
 * 5. Only the complete turn is output. While somebody watches, the answer is streamed to them as it arrives, for display
 *    only.
 * 6. The input names pictures; their bytes go into the request alone, and only to a model that sees. One whose server
 *    rejects the request with them is asked once more without.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Json, JsonValue } from '../../core/schema/json.ts';
import type { LiveSteps } from '../../core/schema/live-port.ts';
import { ModelRole, ModelSampling } from '../../core/schema/model.ts';
import { PromptPicture } from '../../core/schema/picture.ts';
import type { ArtifactStore, Model, ModelAnswer, ModelRequest } from '../../core/schema/ports.ts';
import { Sha256 } from '../../core/schema/names.ts';
import type { Usage } from '../../core/schema/effect.ts';
import { type Outcome, type Tool, ToolAnnotations, type ToolCall } from '../../core/schema/tool.ts';
import { errorOf, ModelError } from './model-errors.ts';
import { estimateOf } from './estimate.ts';
import { choosePictures, showPictures, withoutPictures } from './prompt-pictures.ts';
import type { Models } from './role-models.ts';
import { openOutages } from './model-outages.ts';
import { pictureHashes } from './picture-support.ts';
import { openPauses, type PausePorts } from './provider-pauses.ts';

export type ModelToolPorts = PausePorts & { live?: LiveSteps; artifacts?: ArtifactStore };

const Input = z.strictObject({
  role: ModelRole,
  system: z.string().max(1_000_000).default('').describe('The system prompt.'),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']).describe('Who wrote the message.'),
        text: z.string().max(4_000_000).describe('The text of the message.'),
        stable: z
          .array(z.int().positive())
          .max(1000)
          .optional()
          .describe('Where parts of the text end that later requests of the same work begin with, too.'),
        pictures: z.array(PromptPicture).max(20).optional().describe('Pictures behind the text.'),
      }),
    )
    .min(1)
    .max(10_000)
    .describe('The conversation so far.'),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(200).describe('Name of the tool.'),
        about: z.string().max(20_000).describe('What it does.'),
        input: JsonValue.describe('JSON schema of its input.'),
      }),
    )
    .max(200)
    .default([])
    .describe('If there are any, the answer is a call of one of them.'),
  parallel: z.boolean().optional().describe('Whether the answer may have several calls.'),
  may_answer: z.boolean().optional().describe('Whether the answer may be text instead of a call.'),
  max_tokens: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Most tokens of the answer; null = as configured for the model.'),
  model: z.string().max(300).optional().describe('provider:model, for this turn alone.'),
  sampling: ModelSampling.optional(),
});

/** How a strict run has its models answer (4). */
const STEADY = { temperature: 0, seed: 1 };

const Output = z.strictObject({
  text: z.string().describe('The text of its reply.'),
  call: z
    .strictObject({ name: z.string().describe('The tool.'), input: JsonValue.describe('Its input.') })
    .nullable()
    .describe('The call that is the answer; null if it made none.'),
  more: z
    .array(z.strictObject({ name: z.string().describe('The tool.'), input: JsonValue.describe('Its input.') }))
    .optional()
    .describe('Further calls, where several were allowed.'),
  problem: z.string().nullable().describe('Why its reply contains no valid call; null if there is no problem.'),
  model: z.string().describe('Who answered, provider:model.'),
  request: Sha256.describe('Hash of the request and the model.'),
});

export function modelTool(models: Models, ports: ModelToolPorts = {}): Tool {
  const pauses = openPauses(ports);
  const outages = openOutages();
  const live = models.isRecorded === true ? undefined : ports.live;
  return {
    name: 'model.complete',
    internal: true,
    about: 'Asks a language model for its next turn.',
    input: Input,
    output: Output,
    annotations: ToolAnnotations.parse({ read_only: true, idempotent: true, risk: 'low' }),
    targets: [],
    classOf: () => 'read',
    estimate: (given) => estimate(given, models),
    invoke: async (given, call) => {
      const parsed = Input.safeParse(given);
      if (!parsed.success) return { status: 'failed', error: `model.complete: ${z.prettifyError(parsed.error)}` };
      try {
        const model = models.for(parsed.data.role, parsed.data.model);
        if (model === null) return noModel(parsed.data.role);
        const asked = requestOf(parsed.data, call.isStrict);
        const called = models.called(parsed.data.role, parsed.data.model);
        const request = { ...asked, messages: await showPictures(asked.messages, called, ports.artifacts) };
        const outcome = await pauses.after(model.id, call.signal, () => turnOf(model, request, call, live));
        outages.end(parsed.data.role, parsed.data.model);
        return outcome;
      } catch (error) {
        return outages.describe(outcomeOf(error, call), parsed.data.role, parsed.data.model);
      }
    },
  };
}

async function turnOf(
  model: Model,
  request: ModelRequest,
  call: ToolCall,
  live: LiveSteps | undefined,
): Promise<Outcome> {
  const {
    usage,
    more = [],
    ...answer
  } = await answerOf(model, request, call, live).catch((error: unknown) => {
    const isRejected = error instanceof ModelError && error.problem.kind === 'bad-request';
    const messages = isRejected ? withoutPictures(request.messages) : null;
    if (messages === null) throw error;
    return answerOf(model, { ...request, messages }, call, live);
  });
  const further = more.length === 0 ? {} : { more: [...more] };
  return { status: 'ok', output: { ...answer, ...further, request: requestHash(model.id, request) }, usage };
}

async function answerOf(
  model: Model,
  request: ModelRequest,
  call: ToolCall,
  live: LiveSteps | undefined,
): Promise<ModelAnswer & { problem: string | null }> {
  try {
    const answer =
      live?.isWatched() === true
        ? await streamAnswer(model, request, call, live)
        : await model.complete(request, call.signal);
    return { ...answer, problem: null };
  } catch (error) {
    if (!(error instanceof ModelError) || error.problem.kind !== 'bad-call') throw error;
    return { text: error.reply, call: null, usage: error.usage ?? {}, model: model.id, problem: error.message };
  }
}

async function streamAnswer(
  model: Model,
  request: ModelRequest,
  call: ToolCall,
  live: LiveSteps,
): Promise<ModelAnswer> {
  const step = { run: call.run, node: call.node, call: call.call };
  try {
    return await model.stream(
      request,
      call.signal,
      (text) => live.answer(step, { text }),
      (hidden) => live.answer(step, { hidden }),
    );
  } finally {
    live.end(step);
  }
}

/** Includes the model: the same text to another model is another request. */
function requestHash(model: string, request: ModelRequest): string {
  const { role, system, messages, tools, maxTokens, sampling } = request;
  const turns = messages.map(({ role: who, text, pictures = [] }) => [who, text, ...pictureHashes(pictures)]);
  const offered = tools.map((tool) => [tool.name, tool.about, tool.input]);
  return createHash('sha256')
    .update(
      JSON.stringify([model, role, system, turns, offered, maxTokens, ...(sampling === undefined ? [] : [sampling])]),
    )
    .digest('hex');
}

function requestOf(
  {
    role,
    system,
    messages,
    tools,
    parallel,
    may_answer: mayAnswer,
    max_tokens: maxTokens,
    sampling: asked,
  }: z.infer<typeof Input>,
  isStrict = false,
): ModelRequest {
  const sampling = isStrict ? { ...STEADY, seed: asked?.seed ?? STEADY.seed } : asked;
  return {
    role,
    system,
    messages: messages.map(({ pictures, stable, ...message }) => ({
      ...message,
      ...(stable === undefined ? {} : { stable }),
      ...(pictures === undefined ? {} : { pictures }),
    })),
    tools,
    ...(parallel === true ? { parallel } : {}),
    ...(mayAnswer === true ? { mayAnswer } : {}),
    maxTokens,
    ...(sampling === undefined ? {} : { sampling }),
  };
}

function estimate(given: Json, models: Models): Usage {
  const parsed = Input.safeParse(given);
  if (!parsed.success) return {};
  try {
    const called = models.called(parsed.data.role, parsed.data.model);
    if (called === null || called.provider === 'scripted') return {};
    const request = requestOf(parsed.data);
    return estimateOf({ ...request, messages: choosePictures(request.messages, called) }, called);
  } catch {
    // An invalid name costs nothing; the call itself reports it.
    return {};
  }
}

function noModel(role: ModelRole): Outcome {
  const fix = 'Set OKA_MODEL, such as openai:gpt-5-mini, anthropic:claude-sonnet-4-5 or ollama:llama3.2.';
  return { status: 'failed', error: `no model is set for the ${role}. ${fix}` };
}

function outcomeOf(error: unknown, call: ToolCall): Outcome {
  if (call.signal.aborted) return { status: 'cancelled', error: 'the model was stopped' };
  const { message, fix, temporary } = errorOf(error);
  const usage = error instanceof ModelError ? error.usage : undefined;
  return { status: 'failed', error: `${message}. ${fix}`, temporary, ...(usage === undefined ? {} : { usage }) };
}
