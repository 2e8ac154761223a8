/** What a pass of maintenance costs when there is little new, over a short history and over a long one. */
import { join } from 'node:path';
import { openMaintenance, type Maintenance } from '../src/rooms/maintenance/open-maintenance.ts';
import { runPass } from '../src/rooms/maintenance/pass.ts';
import { setUp } from '../src/kit/home/set-up.ts';
import { loadConfig } from '../src/kit/settings.ts';
import { openArtifacts } from '../src/core/ledger/artifact-store.ts';
import { openLedger } from '../src/core/ledger/ledger.ts';
import { type Figure, median } from './figure.ts';
import { history, type Moment } from './maintain/history.ts';
import { memoryFolder, temporaryHome } from './support/home.ts';

const SIZES = [1000, 100_000] as const;
const NEW = 100;
const ROUNDS = 15;

type Measured = { pass: number; open: number; first: number };

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const [few, many] = [await at(SIZES[0]), await at(SIZES[1])];
  note(`1,000 events: ${JSON.stringify(few)}; 100,000 events: ${JSON.stringify(many)}`);
  return [
    { name: 'maintain_pass_1k', value: few.pass, unit: 'ms', about: 'a pass with 100 new events after 1,000' },
    { name: 'maintain_pass_100k', value: many.pass, unit: 'ms', about: 'a pass with 100 new events after 100,000' },
    {
      name: 'maintain_growth',
      value: many.pass / few.pass,
      unit: '×',
      bar: { most: 2 },
      about: 'between the two',
    },
    { name: 'maintain_open', value: many.open, unit: 'ms', about: 'to take the pen and open the book after 100,000' },
    { name: 'maintain_first', value: (many.first * 1000) / SIZES[1], unit: 'ms', about: 'to learn 1,000 events' },
  ];
}

async function at(events: number): Promise<Measured> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  setUp(home);
  const config = await loadConfig(home);
  const tale = history(
    7,
    openArtifacts(join(home.oka, 'artifacts'), (text) => text),
  );
  let ms = 0;
  const ledger = await openLedger(home.ledgers.run, 'run', {
    redact: (text) => text,
    clock: () => ms,
    flush: { now: () => undefined, later: async () => undefined },
  });
  const happen = async (count: number): Promise<void> => {
    for (let left = count; left > 0; ) {
      const { value } = (await tale.next()) as { value: Moment };
      ms = value.at;
      await ledger.append(value.events);
      left -= value.events.length;
    }
  };
  const never = new AbortController().signal;
  const open = (): Promise<Maintenance> => openMaintenance(home, config, { clock: () => ms });
  await happen(events);
  let m = await open();
  const first = await timeWork(() => runPass(m, never));
  const [passes, opens]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    await happen(NEW);
    passes.push(await timeWork(() => runPass(m, never)));
    await m.close();
    opens.push(await timeWork(async () => void (m = await open())));
  }
  await m.close();
  await ledger.close();
  return { pass: median(passes), open: median(opens), first };
}

async function timeWork(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
