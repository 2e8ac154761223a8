/**
 * A process that appends until it is done or killed, and prints at once how each append ended:
 *   open SEQ | refused CODE {json of message and fix} | ack SEQ NAME; | rejected CODE NAME | done
 * Arguments: a JSON object (ChildTask).
 */
import './rooms-of-product.ts';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { homeAt } from '../../src/kit/settings.ts';
import { openStores, type Stores } from '../../src/kit/house/stores.ts';
import { Config } from '../../src/core/schema/config.ts';
import { errnoOf, messageOf, OkaError } from '../../src/core/schema/errors.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';

export type ChildTask = {
  dir: string;
  /** Goes into every event, so that no payload is written twice. */
  label: string;
  writers?: number;
  /** Appends of each writer; without it they go on until killed. */
  appends?: number;
  /** Events of one append, and characters in each. */
  batch?: number;
  text?: number;
  /** Tries again until the pen is free. */
  patient?: boolean;
  /** Stays after the last append, holding the pen. */
  stay?: boolean;
  /** Write the snapshot after this many events. */
  snapshotEvents?: number;
};

const task = JSON.parse(process.argv[2] ?? '{}') as ChildTask;
const { dir, label, writers = 1, appends = Number.POSITIVE_INFINITY, batch = 1, text = 20 } = task;

flushCompileCache(); // for the next one: most of these are killed before their end
const stores = await open();
if (stores !== null) {
  say(`open ${stores.ledger.end.seq}`);
  const { ledger } = stores;
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(ledger, `${label}.${writer}`)));
  say('done');
  if (task.stay) await sleep(60_000);
  await stores.close();
}

async function open(): Promise<Stores | null> {
  const { snapshotEvents: snapshot_events } = task;
  const config = Config.parse({ ledger: { snapshot_events } });
  for (;;) {
    try {
      return await openStores(homeAt(dir), config);
    } catch (error) {
      const fix = error instanceof OkaError ? error.fix : undefined;
      say(`refused ${errnoOf(error)} ${JSON.stringify({ message: messageOf(error), fix })}`);
      if (!task.patient) return null;
      await sleep(10);
    }
  }
}

async function write(ledger: Stores['ledger'], name: string): Promise<void> {
  for (let index = 0; index < appends; index += 1) {
    const names = Array.from({ length: batch }, (_, part) => `${name}.${index}.${part}`);
    try {
      const events = await ledger.append(names.map(noteAppend));
      say(...events.map((event, part) => `ack ${event.seq} ${names[part]};`));
    } catch (error) {
      say(...names.map((name) => `rejected ${errnoOf(error)} ${name}`));
    }
  }
}

function noteAppend(name: string): NewEvent {
  return { type: 'run.paused', run: 'r1', data: { reason: `${name} ${'x'.repeat(text)}` } };
}

/** Returns when it is printed: a kill right after it comes too late to undo it. */
function say(...lines: string[]): void {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // the listener is slow
    }
  }
}
