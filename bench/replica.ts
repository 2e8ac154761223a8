/** What copying the ledgers elsewhere costs: a long history with failures and kills, sealing, and a cloud that is down. */
import { tmpdir } from 'node:os';
import { convexReplica } from '../src/rooms/replica/copy/convex.ts';
import { prepareOutgoing } from '../src/rooms/replica/copy/outgoing.ts';
import { sealTo } from '../src/rooms/replica/copy/seal.ts';
import { createSettledReader } from '../src/rooms/replica/copy/settled-records.ts';
import { sealFor } from '../src/kit/vault/open-vault.ts';
import { START } from '../src/core/ledger/line.ts';
import type { Home } from '../src/core/schema/home.ts';
import { everyFault } from '../test/support/convex-faults.ts';
import { openConvexServer } from '../test/support/convex-server.ts';
import { faultsOf, storedAt } from '../test/support/replica.ts';
import { type FollowerChild, killedAndFinished, replicaHome, startFollower } from '../test/support/replica-children.ts';
import type { Figure } from './figure.ts';
import { besideFigures } from './replica/background.ts';
import { fill, temporaryHome } from './support/home.ts';

const MANY = Number(process.env['OKA_BENCH_EVENTS'] ?? 100_000);
const KILLS = 20;
const KEY = 'a key for measuring that is long enough';

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  using temporary = temporaryHome(tmpdir());
  const home = replicaHome(temporary.home.dir, { ledger: 'bench' });
  note(`filling a ledger with ${MANY.toLocaleString('en')} events of 1 KB`);
  await fill(home, MANY);
  note(`bringing it to a replica: ${KILLS} kills, one request in a hundred fails`);
  const copied = await copyFigures(home);
  note('reading, checking and sealing without a network');
  const leaving = await leavingFigures(home);
  note('a cloud that is down, for 20 s');
  return [...copied, ...leaving, ...(await downFigures(home)), ...(await besideFigures(note))];
}

async function copyFigures(home: Home): Promise<Figure[]> {
  const faults = everyFault(0.01 / 6);
  await using server = await openConvexServer({ engine: 'indexed', key: KEY, faults, seed: 11 });
  const children: FollowerChild[] = [];
  const start = (): FollowerChild => {
    const child = startFollower(home, server.url, KEY, 'caught-up');
    children.push(child);
    return child;
  };
  const began = performance.now();
  const { last, killed } = await killedAndFinished(start, KILLS, Math.random, MANY / 200 / KILLS);
  const seconds = (performance.now() - began) / 1000;
  const rss = Number(last.said.at(-1)?.split(' ')[2] ?? Number.NaN);
  server.setFaults({});
  const replica = convexReplica({ url: server.url, key: KEY, timeoutMs: 60_000 });
  const wrong = await faultsOf(home.ledgers, await storedAt(replica, 'bench'));
  return [
    {
      name: 'replica_wrong_events',
      value: wrong.length,
      unit: '',
      bar: { most: 0 },
      about: `missing, twice or different, of ${MANY}`,
    },
    { name: 'replica_kills', value: killed, unit: '', about: 'of followers, at random moments' },
    {
      name: 'replica_rate',
      value: MANY / seconds,
      unit: 'events/s',
      about: 'with kills, starts and failures; the server in one process',
    },
    {
      name: 'replica_rss',
      value: rss,
      unit: 'MB',
      bar: { most: 200 },
      about: 'most memory of the follower that finished',
    },
  ];
}

async function leavingFigures(home: Home): Promise<Figure[]> {
  const { generateX25519Identity, identityToRecipient } = await import('age-encryption');
  const recipient = await identityToRecipient(await generateX25519Identity());
  const [plain, sealed] = [await measurePass(home, false, recipient), await measurePass(home, true, recipient)];
  return [
    { name: 'replica_leaving', value: MANY / plain, unit: 'events/cpu s', about: 'read, checked, redaction tried' },
    {
      name: 'replica_sealing',
      value: MANY / sealed,
      unit: 'events/cpu s',
      bar: { least: 4000 },
      about: 'the same, sealed',
    },
  ];
}

/** Seconds of the processor: the machine may have other work. */
async function measurePass(home: Home, isSealed: boolean, recipient: string): Promise<number> {
  const { redactorFor } = await import('../src/core/guard/redact.ts');
  const seal = isSealed ? sealTo((bytes) => sealFor([recipient], bytes)) : null;
  const known = [{ name: 'TOKEN', value: 'correct-horse-battery-7!' }];
  const leaving = prepareOutgoing({ redact: redactorFor(() => known), except: [], seal });
  const before = process.cpuUsage();
  for await (const record of createSettledReader(home.ledgers.run, Date.now).recordsAfter(START))
    await leaving(record, { ledger: 'bench', pen: 'run' });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

async function downFigures(home: Home): Promise<Figure[]> {
  const child = startFollower(home, 'http://127.0.0.1:9', KEY, 'ever');
  await child.lines(1);
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  child.process.kill('SIGTERM');
  await child.ended;
  const [, , rss, cpu] = child.said.at(-1)?.split(' ') ?? [];
  return [
    {
      name: 'replica_down_rss',
      value: Number(rss),
      unit: 'MB',
      bar: { most: 150 },
      about: 'most memory while the cloud is down',
    },
    {
      name: 'replica_down_cpu',
      value: Number(cpu),
      unit: 'ms',
      bar: { most: 2000 },
      about: 'processor time in 20 s, the start included',
    },
  ];
}
