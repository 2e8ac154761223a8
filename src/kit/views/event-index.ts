/**
 * Owns: where in the ledgers events of a type are, and events of the maintenance ledger about a run, so that they are
 * found without reading all of history. Where a run is in the run ledger, its own row says.
 *
 * 1. It is an index of blocks of BLOCK events, not of events: it costs next to nothing an event, and whoever reads a
 *    block reads little that is not wanted.
 */
import type { Pen } from '../../core/schema/event.ts';
import { memoOf, type Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { seqKey } from './run-rows.ts';

/** Events of a block. */
export const BLOCK = 256;
/** Blocks that one row names at most. */
const BLOCKS_A_ROW = 256;

export const eventIndex: View = {
  name: 'event',
  version: 2,
  take: ({ event }, rows) => {
    const block = Math.floor(event.seq / BLOCK);
    const memo = memoOf<number>(rows, MEMO[event.pen]);
    if (memo?.get(event.type) === block) return;
    memo?.set(event.type, block);
    noteBlock(rows, prefixOf(event.pen, event.type), block);
  },
};

/** Maintenance writes few events about a run, and much later. */
export const maintenanceRunIndex: View = {
  name: 'run-in-maintenance',
  version: 1,
  take: ({ event }, rows) => {
    if (event.pen === 'maintenance' && event.run !== null)
      noteBlock(rows, runPrefix(event.run), Math.floor(event.seq / BLOCK));
  },
};

/** Blocks with events of a type, from the last to the first. */
export const blocksOfType = (rows: Rows, pen: Pen, type: string): Generator<number> =>
  blocksBelow(rows, prefixOf(pen, type));

/** Types that have events and begin so, such as "run."; each is found without reading the blocks of the one before. */
export function* typesOfKind(rows: Rows, pen: Pen, beginning: string): Generator<string> {
  const all = `event/${pen}/`;
  for (let after = ''; ; ) {
    const [next] = rows.each(all + beginning, { limit: 1, ...(after === '' ? {} : { after }) });
    if (next === undefined) return;
    const type = next[0].slice(all.length, next[0].indexOf('/', all.length));
    yield type;
    after = `${prefixOf(pen, type)}~`; // behind every number
  }
}

/** Blocks of the maintenance ledger with events about a run, from the last to the first. */
export const maintenanceBlocksOfRun = (rows: Rows, run: string): Generator<number> => blocksBelow(rows, runPrefix(run));

function* blocksBelow(rows: Rows, prefix: string): Generator<number> {
  for (const [, blocks] of rows.each<number[]>(prefix, { reverse: true })) yield* blocks.toReversed();
}

function noteBlock(rows: Rows, prefix: string, block: number): void {
  const key = prefix + seqKey(Math.floor(block / BLOCKS_A_ROW));
  const blocks = rows.get<number[]>(key) ?? [];
  if (blocks.at(-1) !== block) rows.put(key, [...blocks, block]);
}

const MEMO: Readonly<Record<Pen, string>> = { run: 'event/run', maintenance: 'event/maintenance' };

const prefixOf = (pen: Pen, type: string): string => `event/${pen}/${type}/`;

const runPrefix = (run: string): string => `run-in-maintenance/${run}/`;
