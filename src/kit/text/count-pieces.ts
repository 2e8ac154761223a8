/**
 * Owns: how many tokens of the o200k vocabulary a text has.
 *
 * The vocabulary is read into typed arrays, 6 MB; as the objects of its package it takes 70. Counting gives the same
 * numbers: a text is split by the same expression, and of the neighbours in a piece those with the lowest rank merge first.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { OkaError } from '../../core/schema/errors.ts';

/** The bytes of all tokens, one after the other; token `n` ends at `ends[n + 1]`. `table`: tokens by the hash of their bytes. */
type Vocabulary = { bytes: Buffer; ends: Uint32Array; table: Int32Array };

const TOKENS = 199_998;
const NONE = -1;
/** About a third of the table is used. */
const SLOTS = 2 ** 19;

let vocabulary: Vocabulary | null = null;

/** Counts of pieces that were seen before: most words come again and again. */
const known = new Map<string, number>();
const MOST_KNOWN = 20_000;
const LONGEST_KNOWN = 40;

export function countPieces(text: string): number {
  vocabulary ??= readVocabulary();
  let count = 0;
  for (const piece of text.match(O200K_TOKEN_SPLIT_REGEX) ?? []) {
    let tokens = known.get(piece);
    if (tokens === undefined) {
      tokens = countPiece(vocabulary, Buffer.from(piece));
      if (known.size >= MOST_KNOWN) known.clear();
      if (piece.length <= LONGEST_KNOWN) known.set(piece, tokens);
    }
    count += tokens;
  }
  return count;
}

function countPiece(words: Vocabulary, piece: Buffer): number {
  if (rankOf(words, piece, 0, piece.length) !== NONE) return 1;
  const starts = Array.from({ length: piece.length + 1 }, (_, at) => at);
  const rankAt = (at: number): number => {
    const end = starts[at + 2];
    const rank = end === undefined ? NONE : rankOf(words, piece, starts[at] ?? 0, end);
    return rank === NONE ? Infinity : rank;
  };
  const ranks = starts.map((_, at) => rankAt(at));
  for (;;) {
    let [lowest, best] = [Infinity, NONE];
    for (let at = 0; at < ranks.length; at += 1) {
      const rank = ranks[at] ?? Infinity;
      if (rank < lowest) [lowest, best] = [rank, at];
    }
    if (best === NONE) return starts.length - 1;
    starts.splice(best + 1, 1);
    ranks.splice(best + 1, 1);
    ranks[best] = rankAt(best);
    if (best > 0) ranks[best - 1] = rankAt(best - 1);
  }
}

function rankOf({ bytes, ends, table }: Vocabulary, piece: Buffer, from: number, to: number): number {
  for (let slot = slotOf(piece, from, to); ; slot = (slot + 1) % SLOTS) {
    const rank = table[slot] ?? NONE;
    if (rank === NONE) return NONE;
    const start = ends[rank] ?? 0;
    if ((ends[rank + 1] ?? 0) - start !== to - from) continue;
    let at = 0;
    while (at < to - from && bytes[start + at] === piece[from + at]) at += 1;
    if (at === to - from) return rank;
  }
}

/** FNV-1a. */
function slotOf(piece: Buffer, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (piece[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

/** Each line of the file is a token in base64 and its rank, which counts up from 0. */
function readVocabulary(): Vocabulary {
  const file = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken');
  const text = readFileSync(file, 'latin1');
  const read: Vocabulary = {
    bytes: Buffer.alloc(text.length),
    ends: new Uint32Array(TOKENS + 1),
    table: new Int32Array(SLOTS).fill(NONE),
  };
  let [rank, end] = [0, 0];
  for (let from = 0; from < text.length && rank < TOKENS; rank += 1) {
    const until = text.indexOf(' ', from);
    const length = read.bytes.write(text.slice(from, until), end, 'base64');
    addToken(read, rank, end, end + length);
    end += length;
    from = text.indexOf('\n', until) + 1 || text.length;
  }
  if (rank !== TOKENS)
    throw new OkaError('unsafe-file', `${file} is not the vocabulary that was shipped`, { fix: 'Run: npm ci' });
  return { ...read, bytes: Buffer.from(read.bytes.subarray(0, end)) };
}

function addToken({ bytes, ends, table }: Vocabulary, rank: number, from: number, to: number): void {
  let slot = slotOf(bytes, from, to);
  while (table[slot] !== NONE) slot = (slot + 1) % SLOTS;
  table[slot] = rank;
  ends[rank + 1] = to;
}
