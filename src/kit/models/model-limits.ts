/**
 * How much models read and write, in tokens. `context_tokens` and `max_tokens` in config.json override this table; a
 * model that is not in it is taken for a small one if it runs locally.
 */
import type { NamedModel } from '../../core/schema/model-provider.ts';

type ModelLimits = {
  /** The context window: prompt and answer together. */
  context: number;
  /** The longest answer that is asked for. Models that think count their thoughts as answer. */
  answer: number;
};

/** What a local model of a few billion parameters manages. */
const SMALL: ModelLimits = { context: 8192, answer: 4096 };
/** A server that nothing is known about. */
const UNKNOWN: ModelLimits = { context: 32_768, answer: 8192 };

const LIMITS: readonly (readonly [RegExp, ModelLimits])[] = [
  [/\bgpt-5|\bo[134](?:-|$)/, { context: 272_000, answer: 32_768 }],
  [/\bgpt-4\.1/, { context: 1_000_000, answer: 16_384 }],
  [/\bgpt-4o/, { context: 128_000, answer: 16_384 }],
  [/\bclaude-3-haiku/, { context: 200_000, answer: 4096 }],
  [/\bclaude-3-5/, { context: 200_000, answer: 8192 }],
  [/\bclaude-/, { context: 200_000, answer: 16_384 }],
  [/\bgemini-/, { context: 1_000_000, answer: 32_768 }],
  [/\b(?:deepseek-(?:r|reason)|qwq|qwen3|magistral|gpt-oss)/, { context: 32_768, answer: 16_384 }],
];

/** Servers of others name models with a prefix and a suffix, so the name is searched for a known one. */
export function limitsOf({ provider, model }: NamedModel): ModelLimits {
  const known = LIMITS.find(([name]) => name.test(model.toLowerCase()))?.[1];
  if (provider === 'ollama' || provider === 'scripted') return { ...SMALL, ...(known && thinksAloud(known)) };
  return known ?? UNKNOWN;
}

/** Ollama cuts the context to its own setting, whatever the model could read; thoughts need room all the same. */
const thinksAloud = ({ answer }: ModelLimits): Pick<ModelLimits, 'answer'> => ({
  answer: Math.max(SMALL.answer, Math.min(answer, SMALL.context)),
});
