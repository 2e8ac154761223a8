/** What is known about models and pictures: which models see, and how many tokens a picture may take. */
import type { PromptPicture } from '../../core/schema/picture.ts';

/** Names are searched for, since servers of others add prefixes and suffixes. The first row that fits counts. */
const KNOWN: readonly (readonly [RegExp, boolean])[] = [
  [/\bo[13]-mini|\bo1-preview|audio|realtime|transcribe|\bclaude-(?:2|instant)|\bgemma-?3:?-?(?:1b|270m)/, false],
  [/\bgpt-(?:4o|4\.1|4-turbo|5)|\bo[134](?:-|$)|\bclaude-|\bgemini-/, true],
  [/vision|llava|pixtral|moondream|minicpm-v|\bllama-?4|\bgemma-?3|qwen[\d.]*-?vl|mistral-small-?3\.[12]/, true],
];

export function isKnownToSee(model: string): boolean {
  return KNOWN.find(([name]) => name.test(model.toLowerCase()))?.[1] ?? false;
}

/** Pixels for a token where they are fewest, tokens of the smallest picture, and of the largest one. */
const PIXELS_A_TOKEN = 400;
const LEAST = 300;
const MOST = 5000;
/** One small model counts a picture as this many times what its large sibling does. */
const DEAR = /gpt-4o-mini/;
const TIMES_DEARER = 34;

/** An upper bound; a picture of unknown size counts as a large one. */
export function pictureTokens({ width, height }: Pick<PromptPicture, 'width' | 'height'>, model = ''): number {
  const pixels = width === undefined || height === undefined ? Infinity : width * height;
  if (!DEAR.test(model)) return Math.ceil(Math.min(MOST, LEAST + pixels / PIXELS_A_TOKEN));
  return TIMES_DEARER * Math.ceil(Math.min(1500, LEAST + pixels / PIXELS_A_TOKEN));
}

/** For the hash of a request; nothing without pictures, so that a text has the hash it always had. */
export const pictureHashes = (pictures: readonly PromptPicture[]): string[] =>
  pictures.map(({ artifact }) => artifact.sha256);
