/** What a deployment that answers slowly sees of large events. */
import { expect } from 'vitest';
import { okaWith } from '../cli.ts';
import { type ConvexServer, openConvexServer } from '../convex-server.ts';
import { noteEvent, write } from '../replica.ts';
import { settingGroup } from './setting-group.ts';

type Seen = { bodies: string[]; late: string };

const KEY = 'a key for tests that is long enough';
const bodies: string[] = [];
let server: ConvexServer;

export const replicaBatchSettings = settingGroup<Seen>({
  name: 'the replica, when it is slow',
  config: async (_, stack) => {
    server = stack.use(await openConvexServer({ key: KEY, sniff: (body) => void bodies.push(body) }));
    return { replica: { url: server.url, batch: { kb: 1 }, timeout_seconds: 0.5 } };
  },
  act: async (story) => {
    const env = { CONVEX_URL: '', OKA_REPLICA_KEY: KEY };
    const run = async (...words: string[]): Promise<string> => {
      const { out, err } = await okaWith({ env }, ...words, '--dir', story.home.dir);
      return out + err;
    };
    const large = (at: number): string => `${at} ${'tulips and roses '.repeat(60)}`;
    await write(
      story.home.ledgers.run,
      'run',
      Array.from({ length: 6 }, (_, at) => noteEvent(large(at))),
    );
    server.setFaults({ latencyMs: [1500, 1600] });
    const late = await run('replica', 'verify');
    server.setFaults({ latencyMs: [0, 0] });
    bodies.length = 0;
    await run('replica', 'backfill');
    return { bodies: [...bodies], late };
  },
  rows: {
    'replica.batch.kb': ({ bodies: all }) => {
      expect(all.filter((body) => body.includes('tulips')).length).toBeGreaterThanOrEqual(5);
    },
    'replica.timeout_seconds': ({ late }) => expect(late).toMatch(/no answer|in time|timed out|timeout|0\.5 seconds/i),
  },
});
