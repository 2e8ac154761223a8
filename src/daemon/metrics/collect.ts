/** From the ledger to what figures are made of; streaming, so that a long history takes time and not memory. */
import { rowsInMemory } from '../../memory/learning.ts';
import { type TaskRecord, taskRecords } from '../../memory/task-record.ts';
import { readEvents } from '../../ledger/read.ts';
import type { Line } from '../../schema/event.ts';
import type { Packed, Saved, Seen } from './figures.ts';

/** Tasks that began at `since` or later, and all that belongs to them. */
export async function collect(ledger: string, since: string | null, reach: (line: Line) => void): Promise<Seen> {
  const book = rowsInMemory();
  const packs: Packed[] = [];
  const saved: Saved[] = [];
  for await (const event of readEvents(ledger)) {
    reach(event);
    taskRecords.take({ event, text: () => null }, book);
    if (event.run === null || (since !== null && event.at < since)) continue;
    const { run, at } = event;
    if (event.type === 'context.packed') packs.push({ run, at, tokens: event.data.tokens, cap: event.data.cap });
    const saves = event.type === 'procedure.chosen' ? event.data.saves : null;
    if (saves !== null) saved.push({ run, tokens: saves.tokens ?? 0, seconds: saves.seconds ?? 0 });
  }
  const tasks = [...book.each<TaskRecord>('task/')].map(([, task]) => task);
  const wanted = tasks.filter(({ started }) => since === null || started >= since);
  return { tasks: wanted.toSorted((a, b) => a.first - b.first), packs, saved };
}
