/**
 * Owns: where in the ledgers events of a type are, so that they are found without reading all of history.
 *
 * 1. It is an index of blocks of BLOCK events, not of events: it costs next to nothing an event, and whoever reads a
 *    block reads little that is not wanted.
 */
import type { Event, Pen } from '../schema/event.ts';
import { memoOf, type Rows } from '../schema/rows.ts';
import type { View } from '../schema/view.ts';
import { seqKey } from './run-rows.ts';

/** Events of a block. */
export const BLOCK = 256;
/** Blocks that one row names at most. */
const BLOCKS_A_ROW = 256;

export const eventIndex: View = {
  name: 'event',
  version: 1,
  take: ({ event }, rows) => {
    const block = Math.floor(event.seq / BLOCK);
    const memo = memoOf<number>(rows, MEMO[event.pen]);
    if (memo?.get(event.type) === block) return;
    memo?.set(event.type, block);
    noteBlock(rows, event, block);
  },
};

/** Blocks with events of a type, from the last to the first. */
export function* blocksOfType(rows: Rows, pen: Pen, type: string): Generator<number> {
  for (const [, blocks] of rows.each<number[]>(prefixOf(pen, type), { reverse: true })) yield* blocks.toReversed();
}

function noteBlock(rows: Rows, { pen, type }: Event, block: number): void {
  const key = prefixOf(pen, type) + seqKey(Math.floor(block / BLOCKS_A_ROW));
  const blocks = rows.get<number[]>(key) ?? [];
  if (blocks.at(-1) !== block) rows.put(key, [...blocks, block]);
}

const MEMO: Readonly<Record<Pen, string>> = { run: 'event/run', maintenance: 'event/maintenance' };

const prefixOf = (pen: Pen, type: string): string => `event/${pen}/${type}/`;
