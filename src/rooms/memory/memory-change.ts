/** What maintenance has learned, change by change, as its ledger says. */
import { readEvents } from '../../core/ledger/read-events.ts';
import { UNDOABLE } from './distil/undo-change.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import { describeEvent } from '../../kit/views/event-sentence.ts';

export type MemoryChange = {
  /** Its number: the seq in the maintenance ledger. */
  change: number;
  at: string;
  type: Event['type'];
  run: string | null;
  text: string;
  undoable: boolean;
  undone: boolean;
};

const LEARNED: ReadonlySet<Event['type']> = new Set([
  ...UNDOABLE,
  'procedure.drafted',
  'procedure.moved',
  'change.undone',
]);
const canUndo: ReadonlySet<Event['type']> = new Set(UNDOABLE);

/** The last of them, the latest last; 0 for all. */
export async function listChanges(
  { home, signal }: Pick<Call, 'home' | 'signal'>,
  limit: number,
): Promise<MemoryChange[]> {
  const found: MemoryChange[] = [];
  const undone = new Set<number>();
  for await (const event of readEvents(home.ledgers.maintenance)) {
    if (signal.aborted) break;
    if (event.type === 'change.undone') undone.add(event.data.change);
    if (!LEARNED.has(event.type)) continue;
    const { seq, at, type, run } = event;
    found.push({ change: seq, at, type, run, text: describeEvent(event), undoable: canUndo.has(type), undone: false });
    if (limit > 0 && found.length > 2 * limit) found.splice(0, found.length - limit);
  }
  const last = limit > 0 ? found.slice(-limit) : found;
  return last.map((each) => ({ ...each, undone: undone.has(each.change) }));
}
