/**
 * Owns: how many tokens a text costs.
 *
 * 1. A known vocabulary is counted exactly. For any other model the count is multiplied by a conservative factor, which
 *    is raised when a provider reports more tokens than were counted.
 * 2. Counting takes time linear in the length of the text, because it works on slices: on lines, and on parts of long ones.
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
/** Lines that were counted before: what is counted on its own is counted again as a part of the whole. */
const MOST_KNOWN = 500;
const MAX_FACTOR = 3;

/** `reported` is the highest ratio of tokens a provider reported to tokens counted here. */
export async function createTokenCounter(family: ModelFamily, reported = 0): Promise<TokenCounter> {
  const { countPieces } = await import('./count-pieces.ts'); // it reads the vocabulary when it counts first
  const factor = Math.min(MAX_FACTOR, Math.max(TOKEN_FACTORS[family], reported));
  const known = new Map<string, number>();
  function countSlice(slice: string): number {
    const tokens = known.get(slice) ?? countPieces(slice);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(slice, tokens);
    return tokens;
  }
  return {
    name: factor === 1 ? 'o200k' : `o200k × ${Number(factor.toFixed(3))}`,
    count: (text) => Math.ceil(splitIntoSlices(text).reduce((sum, slice) => sum + countSlice(slice), 0) * factor),
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
    const slice = text.slice(from, endOfSlice(text, from));
    const line = slice.slice(0, endOfLine(slice));
    slices.push(line);
    from += line.length;
  }
  return slices;
}

function endOfSlice(text: string, from: number): number {
  const end = from + SLICE_LENGTH;
  if (end >= text.length) return text.length;
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end - 1 : end;
}

/** No token goes beyond the end of a line, unless the next line begins with a space or a slash. */
function endOfLine(slice: string): number {
  for (let end = 0; ; ) {
    end = slice.indexOf('\n', end) + 1;
    if (end === 0 || end === slice.length) return slice.length;
    if (!/[\s/]/.test(slice[end] ?? '')) return end;
  }
}
