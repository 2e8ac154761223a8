import { fdatasyncSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/core/ledger/ledger.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { freshFolder, noteOf, openPlain } from '../../support/ledger-samples.ts';

/** A ledger whose flushes land when they are told to. */
async function heldLedger(): Promise<{ ledger: Ledger; flights: PromiseWithResolvers<void>[] }> {
  const flights: PromiseWithResolvers<void>[] = [];
  const later = (): Promise<void> => {
    const flight = Promise.withResolvers<void>();
    flights.push(flight);
    return flight.promise;
  };
  const ledger = await openPlain(join(freshFolder(), 'l.jsonl'), { flush: { now: fdatasyncSync, later } });
  return { ledger, flights };
}

const three = (ledger: Ledger): Promise<Event>[] => ['a', 'b', 'c'].map((text) => ledger.append(noteOf(text)));

async function untilAirborne(flights: readonly unknown[], count: number): Promise<void> {
  while (flights.length < count) await turn();
}

describe('closing while a flush is in flight', () => {
  it('L3 takes those along who came since, and each of them hears of it', async () => {
    const { ledger, flights } = await heldLedger();
    const before = three(ledger);
    await untilAirborne(flights, 1);
    const closing = ledger.close();
    const since = three(ledger);
    flights[0]?.resolve();
    await untilAirborne(flights, 2);
    flights[1]?.resolve();
    expect((await Promise.all([...before, ...since])).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
    await closing;
    expect(ledger.end.seq).toBe(6);
  });

  it('L6 tells of the flush when that fails, and of nothing else', async () => {
    const { ledger, flights } = await heldLedger();
    const waiting = Promise.allSettled(three(ledger));
    await untilAirborne(flights, 1);
    const closing = ledger.close();
    flights[0]?.reject(new Error('EIO'));
    await expect(closing).rejects.toMatchObject({ code: 'flush-failed' });
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await ledger.close();
  });
});
