/** Homes to measure in: the production wiring over a throw-away folder, with only the flush swapped. */
import '../../test/support/rooms-of-product.ts';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeAt, loadConfig } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { openStores, type Stores } from '../../src/kit/house/stores.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import type { Flush } from '../../src/core/schema/ports.ts';

export const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export type TemporaryHome = { home: Home; [Symbol.dispose](): void };

export function temporaryHome(parent: string): TemporaryHome {
  const dir = mkdtempSync(join(parent, 'oka-bench-'));
  return { home: homeAt(dir), [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) };
}

export async function storesIn(home: Home, flush?: Flush): Promise<Stores> {
  return openStores(home, await loadConfig(home), 'run', flush === undefined ? {} : { flush });
}

/** An outcome whose record is about 1 KB long. */
export function kilobyteEvent(index: number): NewEvent {
  const text = `${index} ${'what the tool said, in plain words; '.repeat(19)}`;
  return {
    type: 'call.ended',
    run: 'bench',
    cause: index + 1,
    data: { call: `bench-n${index}-1`, node: 'n', status: 'ok', output: { text } },
  };
}

export async function fill(home: Home, events: number): Promise<void> {
  const stores = await storesIn(home, { now: () => undefined, later: async () => undefined });
  for (let index = 0; index < events; index += 1000) {
    for (let each = index; each < Math.min(events, index + 1000); each += 1) stores.ledger.stage(kilobyteEvent(each));
    await stores.ledger.flush();
  }
  await stores.close();
}
