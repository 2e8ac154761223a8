/**
 * Owns: how many tokens a text costs.
 *
 * 1. Where the vocabulary is known it is counted with it; elsewhere the count is multiplied by a factor that was measured
 *    to be careful, and raised when a provider reports more than was counted.
 * 2. A text of any kind is counted in time that grows with its length: it is counted in slices.
 */

/** Who reads the text. */
export type Family = 'openai' | 'anthropic' | 'unknown';

export type Counter = {
  /** For the manifest. */
  readonly name: string;
  count(text: string): number;
};

/** Tokens of a Claude vocabulary against those of o200k: 1.06 to 1.54 by kind of text. */
export const FACTORS: Readonly<Record<Family, number>> = { openai: 1, anthropic: 1.35, unknown: 1.4 };

const SLICE = 2000;
const MOST_FACTOR = 3;

/** `reported`: the most tokens that a provider counted for one of ours. */
export async function counterFor(family: Family, reported = 0): Promise<Counter> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base'); // 2 MB of vocabulary
  const factor = Math.min(MOST_FACTOR, Math.max(FACTORS[family], reported));
  const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return {
    name: factor === 1 ? 'o200k' : `o200k × ${Number(factor.toFixed(3))}`,
    count: (text) => Math.ceil(slicesOf(text).reduce((sum, slice) => sum + countTokens(slice, plain), 0) * factor),
  };
}

/** The name of a model is provider:model. */
export function familyOf(model: string | null): Family {
  const provider = model?.split(':', 1)[0] ?? '';
  if (provider === 'openai') return 'openai';
  return provider === 'anthropic' ? 'anthropic' : 'unknown';
}

function slicesOf(text: string): string[] {
  const slices: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + SLICE);
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to -= 1;
    slices.push(text.slice(from, to));
    from = to;
  }
  return slices;
}
