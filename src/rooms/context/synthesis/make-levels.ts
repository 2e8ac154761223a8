/**
 * Owns: making many frames, from the bottom to the top, and counting what happened.
 *
 * L1 A folder is made after everything below it that was to be made.
 * L2 What is made is stored at once, so that an interrupted synthesis goes on where it was when it is repeated.
 * L3 Above something that could not be made nothing is made: it would describe less than it says.
 */
import type { SynthesisReport } from '../../../core/schema/synthesis.ts';
import type { Made, MakePorts, Order, WriteFrame } from './frame-order.ts';
import { makeByRules } from './make-by-rules.ts';
import { makeWithModel } from './make-with-model.ts';

export type Tally = Pick<SynthesisReport, 'made' | 'unchanged' | 'failed' | 'usage'>;

/** Frames that are written to the ledger together. */
const BATCH = 200;
/** Questions to a model at once. */
const AT_ONCE = 4;

export const newTally = (): Tally => ({ made: [], unchanged: 0, failed: [], usage: { calls: 0, tokens: 0 } });

/** Orders of one depth, which do not depend on each other. */
export async function makeLevel(
  ports: MakePorts,
  orders: readonly Order[],
  {
    tally,
    writer,
    signal,
    progress,
  }: { tally: Tally; writer: WriteFrame | null; signal: AbortSignal; progress: () => void },
): Promise<void> {
  const ready = orders.filter((order) => !isBlocked(order, tally));
  for (const order of orders) {
    if (!ready.includes(order)) fail(tally, order, 'something below it could not be made');
  }
  const byRule = ready.filter(({ recipe }) => recipe.policy.kind !== 'model');
  for (let from = 0; from < byRule.length && !signal.aborted; from += BATCH) {
    const batch = byRule.slice(from, from + BATCH);
    const made = await makeByRules(ports, batch[0]?.workspace ?? '', batch);
    batch.forEach((order, at) => {
      count(tally, order, made[at]);
      progress();
    });
  }
  await makeAtOnce(
    ready.filter(({ recipe }) => recipe.policy.kind === 'model'),
    async (order) => {
      if (signal.aborted || isOut(tally)) return;
      count(tally, order, await makeWithModel(ports, order, writer));
      progress();
    },
  );
}

/** A failure that every further question would share, such as a budget that is used up. */
const finals = new WeakSet<Tally>();
export const isOut = (tally: Tally): boolean => finals.has(tally);

const isBlocked = ({ node }: Order, { failed }: Tally): boolean =>
  node.kind === 'folder' && failed.some(({ path }) => node.path === '' || path.startsWith(`${node.path}/`));

async function makeAtOnce(orders: readonly Order[], make: (order: Order) => Promise<void>): Promise<void> {
  const queue = [...orders];
  const work = async (): Promise<void> => {
    for (let order = queue.shift(); order !== undefined; order = queue.shift()) await make(order);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, queue.length) }, work));
}

function count(tally: Tally, order: Order, made: Made | undefined): void {
  if (made === undefined) return;
  if (made.kind === 'failed') {
    if (made.isFinal) finals.add(tally);
    fail(tally, order, made.reason);
    return;
  }
  tally.usage.calls += made.calls;
  tally.usage.tokens += made.tokens;
  if (made.kind === 'unchanged') tally.unchanged += 1;
  else tally.made.push({ path: order.node.path, type: order.type, frame: made.frame });
}

const fail = (tally: Tally, { node, type }: Order, reason: string): void => {
  tally.failed.push({ path: node.path, type, reason });
};

export const depthOf = (path: string): number => (path === '' ? 0 : path.split('/').length);
