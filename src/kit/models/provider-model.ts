/**
 * Owns: one turn with the model of a provider, through the AI SDK.
 * Does not own: retries (the chain), what a call does (the tools), the keys (requested for each turn).
 *
 * P1 One request per turn: the SDK neither retries nor runs a tool.
 * P2 A turn always ends: with an answer, with a `ModelError`, or when its caller aborts or the model is silent for too long.
 * P3 No error contains a key.
 * P4 A provider that caches only what is marked gets marks: behind the rules and tools, behind the first part of a message
 *    that stays, and behind the last one.
 */
import type {
  LanguageModel,
  LanguageModelCallEndEvent,
  LanguageModelUsage,
  ModelMessage as SdkMessage,
  ToolSet,
} from 'ai';
import type { Json } from '../../core/schema/json.ts';
import type { Model, ModelAnswer, ModelMessage, ModelRequest } from '../../core/schema/ports.ts';
import type { Usage } from '../../core/schema/effect.ts';
import { parseAnswer, type RawReply } from './parse-answer.ts';
import { errorFor } from './error-advice.ts';
import { ModelError, problem } from './model-errors.ts';
import { nameOf } from './model-name.ts';
import { costOf } from './prices.ts';
import type { Called, Fetch, ProviderPorts } from '../../core/schema/model-provider.ts';
import { callLabel, textCallPrompt } from './text-call.ts';
import { type ToolNames, toolNames } from './tool-names.ts';
import { startSilenceTimer } from './transport.ts';

/** What differs between providers of the SDK. */
export type SdkClient = {
  languageModel: (called: Called, key: string | null, fetch: Fetch) => Promise<LanguageModel>;
  /** Its option for at most one tool call per turn; `extra` overrides it. */
  oneCall: Readonly<Record<string, Json>>;
  /** Its option for the end of what is to be cached, where it has to be told. */
  cacheMark?: Readonly<Record<string, Json>>;
};

type Sdk = typeof import('ai');
type Options = Parameters<Sdk['generateText']>[0] & { prompt?: never };
type Reply = { text: string; calls: RawReply['calls']; finish: string; usage: LanguageModelUsage; model: string };

export function providerModel(called: Called, ports: ProviderPorts, client: SdkClient): Model {
  return {
    id: nameOf(called),
    complete: (request, signal) =>
      runTurn(called, ports, client, request, signal, (sdk, options) => complete(sdk, options)),
    stream: (request, signal, onText, onHidden = () => undefined) =>
      runTurn(called, ports, client, request, signal, (sdk, options, onPart) =>
        streamReply(sdk, options, onPart, { onText, onHidden }),
      ),
  };
}

async function runTurn(
  called: Called,
  ports: ProviderPorts,
  client: SdkClient,
  request: ModelRequest,
  caller: AbortSignal,
  exchange: (sdk: Sdk, options: Options, onPart: () => void) => Promise<Reply>,
): Promise<ModelAnswer> {
  const started = ports.clock();
  const names = toolNames(request.tools);
  const label = called.toolCalls === 'text' && request.tools.length > 0 ? callLabel(request) : null;
  const silence = startSilenceTimer(caller, called.timeoutMs);
  let key: string | null = null;
  try {
    caller.throwIfAborted();
    key = await keyOf(called, ports);
    const sdk = await loadSdk();
    const model = await client.languageModel(called, key, ports.fetch);
    const sent = label === null ? request : withTextCalls(request, label);
    const options = {
      model,
      ...optionsOf(called, client, sent, label === null ? names : toolNames([]), sdk),
      abortSignal: silence.signal,
    };
    const reply = await exchange(sdk, options, () => silence.restart());
    return parseAnswer(toRawReply(reply, called, ports.clock() - started), names, label, request.parallel === true);
  } catch (error) {
    throw errorFor(error, called, { caller, key });
  } finally {
    silence.end();
  }
}

/** Describes the tools in the prompt, for a model whose requests cannot carry them. */
function withTextCalls(request: ModelRequest, label: string): ModelRequest {
  const system = [request.system, textCallPrompt(request, label)].filter((part) => part !== '').join('\n\n');
  return { ...request, system, tools: [] };
}

async function keyOf(called: Called, { replayed }: ProviderPorts): Promise<string | null> {
  const key = replayed ? null : await called.key();
  if (key === null && !replayed && called.needsKey) throw new ModelError(problem('no-key', 'there is no key for it'));
  return key;
}

function optionsOf(
  called: Called,
  { oneCall, cacheMark }: SdkClient,
  request: ModelRequest,
  names: ToolNames,
  { jsonSchema, tool }: Sdk,
) {
  const tools: ToolSet = Object.fromEntries(
    names.sent.map((each) => [
      each.as,
      tool({ description: each.about, inputSchema: jsonSchema<Json>(each.input as Parameters<typeof jsonSchema>[0]) }),
    ]),
  );
  const withTools = names.sent.length > 0;
  const mark: Mark = cacheMark === undefined ? {} : { providerOptions: { [called.provider]: cacheMark } };
  return {
    ...(request.system === '' ? {} : { instructions: instructionsOf(request.system, mark) }),
    messages: request.messages.map((message) => messageOf(message, mark)),
    ...(withTools ? { tools, toolChoice: request.mayAnswer === true ? ('auto' as const) : ('required' as const) } : {}),
    maxOutputTokens: request.maxTokens ?? called.maxTokens,
    ...samplingOf(called, request),
    maxRetries: 0,
    providerOptions: {
      [called.provider]: { ...(withTools && request.parallel !== true ? oneCall : {}), ...called.extra },
    },
  };
}

type Mark = { providerOptions?: Record<string, Record<string, Json>> };

const instructionsOf = (content: string, mark: Mark) =>
  mark.providerOptions === undefined ? content : { role: 'system' as const, content, ...mark };

/** Each picture comes behind its name, so that it is clear which one the text means. */
function messageOf({ role, text, stable = [], pictures = [] }: ModelMessage, mark: Mark): SdkMessage {
  if (role === 'assistant') return { role, content: text };
  const shown = pictures.flatMap(({ name, artifact, data }) =>
    data === undefined
      ? []
      : [
          { type: 'text' as const, text: `${name}:` },
          { type: 'file' as const, mediaType: artifact.media, data },
        ],
  );
  const texts = mark.providerOptions === undefined ? [{ type: 'text' as const, text }] : partsOf(text, stable, mark);
  return { role, content: shown.length === 0 && texts.length === 1 ? text : [...texts, ...shown] };
}

/** The parts of a text as blocks of their own; the first and the last that stay are marked. */
function partsOf(text: string, stable: readonly number[], mark: Mark) {
  const ends = stable.filter((end) => end < text.length);
  return [...ends, text.length].map((end, index) => ({
    type: 'text' as const,
    text: text.slice(ends[index - 1] ?? 0, end),
    ...(index < ends.length && (index === 0 || index === ends.length - 1) ? mark : {}),
  }));
}

/** What a request asks for counts; without it what is configured, unless the request is steady: then nothing is random. */
function samplingOf(called: Called, { sampling = {} }: ModelRequest) {
  const temperature = sampling.temperature ?? called.temperature;
  const topP = sampling.top_p ?? (sampling.temperature === 0 ? null : called.topP);
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
    ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
  };
}

/** Takes the reply as soon as the SDK has it completely; this file decides itself whether it is acceptable. */
async function complete(sdk: Sdk, options: Options): Promise<Reply> {
  const reply: { whole?: Reply } = {};
  try {
    await sdk.generateText({ ...options, onLanguageModelCallEnd: (end) => void (reply.whole = replyOf(end)) });
  } catch (error) {
    if (!sdk.ToolChoiceViolationError.isInstance(error)) throw error;
  }
  return requireReply(reply.whole);
}

async function streamReply(
  sdk: Sdk,
  options: Options,
  onPart: () => void,
  { onText, onHidden }: Record<'onText' | 'onHidden', (text: string) => void>,
): Promise<Reply> {
  const reply: { whole?: Reply } = {};
  const result = sdk.streamText({
    ...options,
    onError: () => undefined,
    onLanguageModelCallEnd: (end) => void (reply.whole = replyOf(end)),
  });
  for await (const part of result.stream) {
    onPart();
    if (part.type === 'text-delta') onText(part.text);
    if (part.type === 'reasoning-delta') onHidden(part.text);
    if (part.type === 'tool-input-delta') onHidden(part.delta);
    if (part.type === 'abort') throw options.abortSignal?.reason;
    if (part.type === 'error' && !sdk.ToolChoiceViolationError.isInstance(part.error)) throw part.error;
  }
  return requireReply(reply.whole);
}

function replyOf({ content, finishReason, usage, modelId }: LanguageModelCallEndEvent): Reply {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const calls = content.flatMap((part) =>
    part.type === 'tool-call' ? [{ name: part.toolName, input: part.input, invalid: part.invalid === true }] : [],
  );
  return { text: texts.join(''), calls, finish: finishReason, usage, model: modelId };
}

function requireReply(reply: Reply | undefined): Reply {
  if (reply !== undefined && reply.finish !== 'error') return reply;
  throw new ModelError(problem('bad-answer', 'the answer broke off'));
}

function toRawReply({ usage, model, ...rest }: Reply, called: Called, ms: number): RawReply {
  return { ...rest, usage: usageOf(usage, called, ms), model: `${called.provider}:${model}` };
}

function usageOf(
  { inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage,
  called: Called,
  ms: number,
): Usage {
  const tokens = { in: inputTokens ?? 0, out: outputTokens ?? 0, cached: inputTokenDetails.cacheReadTokens ?? 0 };
  const counted = inputTokens !== undefined && outputTokens !== undefined;
  return {
    ...(inputTokens === undefined ? {} : { tokens_in: inputTokens }),
    ...(outputTokens === undefined ? {} : { tokens_out: outputTokens }),
    ...(tokens.cached === 0 ? {} : { tokens_cached: tokens.cached }),
    ...(counted && called.price !== null ? { usd: costOf(tokens, called.price) } : {}),
    ms: Math.max(0, ms),
  };
}

async function loadSdk(): Promise<Sdk> {
  // The SDK would print warnings about unsupported settings to the terminal.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
