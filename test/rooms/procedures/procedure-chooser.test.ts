import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { procedureReader } from '../../../src/rooms/procedures/procedure-chooser.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import { fileURLToPath } from 'node:url';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { freshFolder } from '../../support/ledger-samples.ts';

const golden = fileURLToPath(new URL('../../fixture/golden/v3.jsonl', import.meta.url));

/** A draft of a procedure, as a golden ledger has it. */
async function draft(id: string): Promise<NewEvent> {
  for await (const event of readEvents(golden, { type: 'procedure.drafted' }))
    if (event.type === 'procedure.drafted')
      return { type: 'procedure.drafted', data: { procedure: { ...event.data.procedure, id } } };
  throw new Error('the golden ledger has no procedure');
}

describe('reading procedures', () => {
  it('gives those of the maintenance ledger: what is new, none without a ledger, and another ledger from its start', async () => {
    const file = join(freshFolder(), 'maintenance_ledger.jsonl');
    const read = procedureReader(file);
    const ids = async (): Promise<string[]> => (await read()).map(({ procedure }) => procedure.id);
    expect(await ids()).toEqual([]);
    const open = (at: string) => openLedger(at, 'maintenance', { redact: (text) => text });
    const ledger = await open(file);
    await ledger.append([await draft('a.1')]);
    expect(await ids()).toEqual(['a.1']);
    await ledger.append([await draft('b.1')]);
    expect(await Promise.all([ids(), ids()])).toEqual([
      ['a.1', 'b.1'],
      ['a.1', 'b.1'],
    ]);
    await ledger.close();
    const other = join(freshFolder(), 'maintenance_ledger.jsonl');
    const another = await open(other);
    await another.append([await draft('c.1')]);
    await another.close();
    rmSync(file);
    expect(await ids()).toEqual([]);
    cpSync(other, file);
    expect(await ids()).toEqual(['c.1']);
  });
});
