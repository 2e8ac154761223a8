/** A replica that is configured and cannot be had: whoever works, or waits for a result, notices nothing of it. */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { replicaFolder } from '../../src/rooms/replica/replica-connection.ts';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { readState } from '../../src/rooms/replica/copy/state.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { openStory, type Story } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';
import { isThorough } from '../support/thorough.ts';

const TASKS = {
  first: '```bash\necho one > one.txt\n```',
  second: 'What cannot be read is to be in lost.txt.\n\n```bash\ncat one.txt\nexit 3\n```',
  third: 'Write a note into note.txt.',
  fourth: '```bash\ncat one.txt note.txt > both.txt\n```',
} as const;
const LAST = 'fourth';
const config = {
  inbox: { settle_ms: 0, rescan_ms: 100, parallel: 1 },
  maintenance: { slots: { learn: '0 0 1 1 *', tidy: '0 0 1 1 *' } }, // only the replica is looked at
};

const model = inParts({
  planner: ({ text }) => {
    const path = text.includes('lost.txt') && !text.includes('Write a note') ? 'lost.txt' : 'note.txt';
    return plan(
      [{ id: 'write', tool: 'files.write', input: { path, content: 'two\n' }, targets: [path] }],
      [`contains: ${path} "two"`],
    );
  },
});

type Silence = { url: string; isTried: (story: Story) => boolean; [Symbol.asyncDispose](): Promise<void> };

/** A port on which nobody listens. */
async function refusing(): Promise<Silence> {
  const silent = await mute();
  await silent[Symbol.asyncDispose]();
  return {
    url: silent.url,
    isTried: ({ home }) => readState(replicaFolder(home))?.doing.kind === 'waiting',
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Takes every connection, and says nothing. */
async function mute(): Promise<Silence> {
  const sockets = new Set<Socket>();
  let asked = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('data', () => void (asked += 1)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isTried: () => asked > 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** What a person sees of it, and what happened in which order; without moments, names of processes and lengths of time. */
type Lived = {
  told: string[];
  history: string[];
  pages: string[];
  desk: (string | null)[];
  stopMs: number;
  grownMb: number;
};

async function lived(silence: Silence | null): Promise<Lived> {
  await using story = await openStory({ model, config });
  const up = story.start(['up', '--no-web'], { CONVEX_URL: silence?.url ?? '' });
  const maintenance = await story.until(
    'maintenance',
    async () => penHolder(story.home.ledgers.maintenance)?.pid || undefined,
  );
  await story.until('the welcome', async () => story.told.find((line) => line.includes('outbox/welcome')));
  if (silence !== null) await story.until('an attempt', async () => (silence.isTried(story) ? true : undefined));
  const before = memoryOf(maintenance);
  for (const [id, text] of Object.entries(TASKS)) {
    story.drop(`${id}.md`, `---\nid: ${id}\n---\n${text}\n`);
    await story.ended(id); // one after the other, so that their order does not depend on how busy the machine is
  }
  await story.until('the last word', async () => story.told.find((line) => line.includes(`outbox/${LAST}/`)));
  const grownMb = memoryOf(maintenance) - before;
  expect(penHolder(story.home.ledgers.maintenance)?.pid).toBe(maintenance);
  const stopMs = await stopped(up);
  for (const file of Object.values(story.home.ledgers))
    expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
  return {
    told: story.told
      .filter((line) => !line.includes('is open for writing')) // seen or not by the moment at which the inbox is read
      .map((line) => timeless(line.replaceAll(story.home.dir, ''))),
    history: (await story.events()).map(happened),
    pages: Object.keys(TASKS).map((id) => timeless(story.page(id) ?? '')),
    desk: ['one.txt', 'note.txt', 'both.txt'].map((file) => story.deskText(file)),
    stopMs,
    grownMb,
  };
}

async function stopped(up: ChildProcess): Promise<number> {
  const begun = performance.now();
  up.kill('SIGINT');
  expect(await once(up, 'exit')).toEqual([0, null]);
  return performance.now() - begun;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const happened = ({ run, type, data }: Event): string =>
  `${run} ${type} ${'node' in data ? data.node : ''} ${'status' in data ? data.status : ''}`;

const timeless = (text: string): string =>
  text.replaceAll(/\d[\d.,:]*( (?:ms|s|min)\b)?/g, '#').replaceAll('# to # UTC', '# UTC');

describe('a replica that is down for as long as oka is up', { timeout: 900_000 }, () => {
  it.runIf(isThorough)(
    'changes neither results nor their order nor what is told, lets it stop at once, and takes no memory',
    async () => {
      const without = await lived(null);
      expect(without.desk).toEqual(['one\n', 'two\n', 'one\ntwo\n']);
      for (const silent of [refusing, mute]) {
        await using silence = await silent();
        const { stopMs, grownMb, ...seen } = await lived(silence);
        const { stopMs: usualMs, grownMb: _, ...expected } = without;
        expect(seen, silent.name).toEqual(expected);
        expect(stopMs - usualMs, `${silent.name}: what stopping takes longer`).toBeLessThan(10_000); // a request that is waited for takes 30 seconds
        expect(grownMb, `${silent.name}: memory`).toBeLessThan(40);
      }
    },
  );
});
