/** What a deployment that the home is copied to gets to see. */
import { expect } from 'vitest';
import { type ConvexServer, openConvexServer } from '../convex-server.ts';
import { noteEvent, write } from '../replica.ts';
import { okaWith } from '../cli.ts';
import { settingGroup } from './setting-group.ts';
import { makeKeyPair } from '../../../src/kit/vault/open-vault.ts';

type Seen = { server: ConvexServer; bodies: string[]; status: string; slow: string };

const KEY = 'a key for tests that is long enough';
let server: ConvexServer;
const bodies: string[] = [];

export const replicaSettings = settingGroup<Seen>({
  name: 'the replica',
  config: async (_, stack) => {
    server = stack.use(await openConvexServer({ key: KEY, sniff: (body) => void bodies.push(body) }));
    return {
      replica: {
        url: server.url,
        key_secret: 'OTHER_KEY',
        ledger: 'laptop',
        except: ['run.paused'],
        recipients: [(await makeKeyPair()).recipient],
        batch: { events: 3 },
      },
    };
  },
  act: async (story) => {
    const env = { XDG_CONFIG_HOME: `${story.home.dir}-config`, OKA_REPLICA_KEY: '', CONVEX_URL: '' };
    const run = async (input: string, ...words: string[]) => {
      const { out, err } = await okaWith({ env, input }, ...words, '--dir', story.home.dir);
      return out + err;
    };
    await run(KEY, 'secrets', 'set', 'OTHER_KEY', '--host', new URL(server.url).host);
    await write(story.home.ledgers.run, 'run', [
      ...Array.from({ length: 8 }, () => noteEvent('tulips')),
      {
        type: 'fact.kept',
        data: {
          id: 'tea',
          text: 'Ann drinks roses',
          namespace: 'general',
          importance: 0.5,
          confidence: 1,
          source: 'person',
          supersedes: [],
          evidence: [],
        },
      },
    ]);
    const status = `${await run('', 'replica', 'backfill')}\n${await run('', 'replica', 'status')}`;
    return { server, bodies, status, slow: '' };
  },
  rows: {
    'replica.url': () => expect(server.counts.requests).toBeGreaterThan(0),
    'replica.key_secret': ({ bodies: all }) => expect(all.join('\n')).toContain(KEY),
    'replica.ledger': async () => expect((await server.dump()).heads.map(({ ledger }) => ledger)).toContain('laptop'),
    'replica.except': async () => expect(JSON.stringify((await server.dump()).events)).not.toContain('tulips'),
    'replica.recipients': async () => expect(JSON.stringify((await server.dump()).events)).not.toContain('roses'),
    'replica.batch.events': ({ bodies: all }) =>
      expect(all.filter((body) => body.includes('append')).length).toBeGreaterThanOrEqual(3),
  },
});
