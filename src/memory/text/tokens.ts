/**
 * Owns: how many tokens a text costs.
 *
 * 1. A known vocabulary is counted exactly. For any other model the count is multiplied by a conservative factor, which
 *    is raised when a provider reports more tokens than were counted.
 * 2. Counting takes time linear in the length of the text, because it works on slices.
 */

/** The vocabulary of the model that reads the text. */
export type ModelFamily = 'openai' | 'anthropic' | 'unknown';

export type TokenCounter = {
  /** Appears in the manifest of a pack. */
  readonly name: string;
  count(text: string): number;
};

/** Tokens relative to o200k. A Claude vocabulary was measured at 1.06 to 1.54, depending on the text. */
const TOKEN_FACTORS: Readonly<Record<ModelFamily, number>> = { openai: 1, anthropic: 1.35, unknown: 1.4 };

const SLICE_LENGTH = 2000;
const MAX_FACTOR = 3;

/** `reported` is the highest ratio of tokens a provider reported to tokens counted here. */
export async function createTokenCounter(family: ModelFamily, reported = 0): Promise<TokenCounter> {
  const { countPieces } = await import('./count-pieces.ts'); // it reads the vocabulary when it counts first
  const factor = Math.min(MAX_FACTOR, Math.max(TOKEN_FACTORS[family], reported));
  return {
    name: factor === 1 ? 'o200k' : `o200k × ${Number(factor.toFixed(3))}`,
    count: (text) => Math.ceil(splitIntoSlices(text).reduce((sum, slice) => sum + countPieces(slice), 0) * factor),
  };
}

/** Takes a model name of the form provider:model. */
export function modelFamily(model: string | null): ModelFamily {
  const provider = model?.split(':', 1)[0] ?? '';
  if (provider === 'openai') return 'openai';
  return provider === 'anthropic' ? 'anthropic' : 'unknown';
}

function splitIntoSlices(text: string): string[] {
  const slices: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + SLICE_LENGTH);
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '')) to -= 1;
    slices.push(text.slice(from, to));
    from = to;
  }
  return slices;
}
