import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { okaWith, type Ran, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';
import { type ConvexServer, openConvexServer } from '../../support/convex-server.ts';
import { many, noteEvent, write } from '../../support/replica.ts';

const KEY = 'a key for tests that is long enough';

type Home = {
  dir: string;
  ledger: string;
  oka: (...args: string[]) => Promise<Ran>;
  says: (input: string, ...args: string[]) => Promise<Ran>;
};

async function homeIn(
  { dir }: TemporaryFolder,
  name: string,
  url: string,
  env: Record<string, string> = {},
): Promise<Home> {
  const home = join(dir, name);
  const environment = {
    XDG_CONFIG_HOME: join(dir, `${name}-config`),
    CONVEX_URL: url,
    OKA_REPLICA_KEY: KEY,
    ...env,
  };
  const says = (input: string, ...args: string[]): Promise<Ran> =>
    okaWith({ env: environment, input }, ...args, '--dir', home);
  expect((await says('', 'init')).code).toBe(0);
  return { dir: home, ledger: join(home, '.oka/run_ledger.jsonl'), says, oka: (...args) => says('', ...args) };
}

function setUp(home: Home, replica: object): void {
  writeFileSync(join(home.dir, '.oka/rules/config.json'), JSON.stringify({ replica }));
}

const kept = (id: string, words: string): NewEvent => ({
  type: 'fact.kept',
  data: {
    id,
    text: words,
    namespace: 'general',
    importance: 0.5,
    confidence: 1,
    source: 'person',
    supersedes: [],
    evidence: [],
  },
});

const json = ({ out }: Ran): Record<string, unknown> => JSON.parse(out) as Record<string, unknown>;

describe('oka replica', () => {
  it('is off unless it is set, and says how to set it', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder, 'home', '');
    expect(await home.oka('replica', 'status')).toMatchObject({ code: 0, out: expect.stringContaining('no replica') });
    expect(await home.oka('replica', 'backfill')).toMatchObject({
      code: 3,
      err: expect.stringContaining('CONVEX_URL'),
    });
    expect(existsSync(join(home.dir, '.oka/maintenance/replica'))).toBe(false);
  });

  it('backfills, tells how far it is, verifies, and finds what was tampered with', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ key: KEY });
    const home = await homeIn(folder, 'home', server.url);
    await write(home.ledger, 'run', many(230, 'a'));
    expect(await home.oka('replica', 'status')).toMatchObject({
      code: 0,
      out: expect.stringContaining('230 events to go'),
    });
    expect(await home.oka('replica', 'backfill')).toMatchObject({
      code: 0,
      out: expect.stringContaining('230 events'),
    });
    const status = await home.oka('replica', 'status', '--json');
    expect(json(status)).toMatchObject({
      off: false,
      pens: { run: { here: 230, there: 230 } },
      state: { doing: { kind: 'following' } },
    });
    expect(await home.oka('replica', 'verify')).toMatchObject({ code: 0, out: expect.stringContaining('the same') });
    await overwrite(server, 42);
    const found = await home.oka('replica', 'verify', '--json');
    expect(found.code).toBe(1);
    expect(json(found)).toMatchObject({
      same: false,
      ledgers: [{ pen: 'run', events: 41, difference: { seq: 42, kind: 'changed' } }, {}],
    });
    expect((await home.oka('replica', 'verify')).out).toContain('changed at seq 42');
  });

  it('oka maintain --once sends what is pending, or says why not', async () => {
    using folder = temporaryFolder();
    const server = await openConvexServer({ key: KEY });
    const home = await homeIn(folder, 'home', server.url);
    await write(home.ledger, 'run', many(40, 'a'));
    const passed = await home.oka('maintain', '--once');
    expect(passed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/the replica has all events: 40 and \d+ of maintenance\n$/),
    });
    expect(await home.oka('replica', 'verify')).toMatchObject({ code: 0, out: expect.stringContaining('the same') });
    await home.oka('replica', 'off');
    expect((await home.oka('maintain', '--once')).out).toContain('nothing was sent to the replica: it is off');
    await home.oka('replica', 'on');
    await server[Symbol.asyncDispose]();
    await write(home.ledger, 'run', many(3, 'b'));
    expect(await home.oka('maintain', '--once')).toMatchObject({
      code: 0,
      out: expect.stringContaining('the replica did not get everything:'),
    });
    const unset = await homeIn(folder, 'unset', '');
    expect((await unset.oka('maintain', '--once')).out).not.toContain('replica');
  });

  it('a home that another has taken the name of stops, touches nothing and says so until a person has looked', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ key: KEY });
    const [one, two] = [await homeIn(folder, 'one', server.url), await homeIn(folder, 'two', server.url)];
    for (const home of [one, two]) {
      setUp(home, { ledger: 'shared' });
      await write(home.ledger, 'run', many(20, home.dir));
    }
    expect((await one.oka('replica', 'backfill')).code).toBe(0);
    const before = await server.dump();
    expect(await two.oka('replica', 'backfill')).toMatchObject({
      code: 3,
      err: expect.stringContaining('another history'),
    });
    expect(await two.oka('replica', 'status')).toMatchObject({ code: 1, out: expect.stringContaining('stopped') });
    expect((await two.oka('replica', 'verify')).out).toContain('fork at seq 1');
    expect(await server.dump()).toEqual(before);
  });

  it('off holds until a person says on, and says where that stands', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ key: KEY });
    const home = await homeIn(folder, 'home', server.url);
    await write(home.ledger, 'run', many(5, 'a'));
    expect(await home.oka('replica', 'off')).toMatchObject({ code: 0, out: expect.stringContaining('oka replica on') });
    expect((await home.oka('replica', 'status')).out).toContain(join(home.dir, '.oka/maintenance/replica/switch.json'));
    expect(await home.oka('replica', 'backfill')).toMatchObject({
      code: 3,
      err: expect.stringContaining('switched off'),
    });
    expect(server.counts.requests).toBe(0);
    expect((await home.oka('replica', 'on')).code).toBe(0);
    expect((await home.oka('replica', 'backfill')).code).toBe(0);
  });

  it('a key from the vault goes only to the host it is for; a wrong one is said', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ key: KEY });
    const home = await homeIn(folder, 'home', server.url, { OKA_REPLICA_KEY: '' });
    await write(home.ledger, 'run', many(3, 'a'));
    const host = new URL(server.url).host;
    await home.says(KEY, 'secrets', 'set', 'OKA_REPLICA_KEY', '--host', 'elsewhere.example.org');
    expect(await home.oka('replica', 'backfill')).toMatchObject({
      code: 3,
      err: expect.stringContaining(`--host ${host}`),
    });
    await home.says('another value entirely', 'secrets', 'set', 'OKA_REPLICA_KEY', '--host', host);
    expect(await home.oka('replica', 'backfill')).toMatchObject({
      code: 3,
      err: expect.stringContaining('refuses the key'),
    });
    await home.says(KEY, 'secrets', 'set', 'OKA_REPLICA_KEY', '--host', host);
    expect((await home.oka('replica', 'backfill')).code).toBe(0);
  });

  it('O2 what the vault knows does not leave, though it stands in the ledger', async () => {
    using folder = temporaryFolder();
    const seen: string[] = [];
    await using server = await openConvexServer({ key: KEY, sniff: (body) => void seen.push(body) });
    const home = await homeIn(folder, 'home', server.url);
    await home.says('hunter2-hunter2', 'secrets', 'set', 'DOOR');
    await write(home.ledger, 'run', [
      noteEvent('the door opens with hunter2-hunter2'),
      noteEvent(`and the key is ${KEY}`),
    ]);
    expect((await home.oka('replica', 'backfill')).code).toBe(0);
    expect(seen.filter((body) => body.includes('hunter2'))).toEqual([]);
    expect(JSON.stringify(await server.dump())).not.toContain(KEY);
    expect((await home.oka('replica', 'verify')).out).toContain('2 contents withheld');
  });

  it('pulls the facts of another home, sealed to this one, through intake; twice changes nothing', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ key: KEY });
    const [laptop, desk] = [await homeIn(folder, 'laptop', server.url), await homeIn(folder, 'desk', server.url)];
    await desk.says('some value 123', 'secrets', 'set', 'ANY');
    const { recipient } = json(await desk.oka('secrets', 'export-recipient', '--json'));
    setUp(laptop, { ledger: 'laptop', recipients: [recipient] });
    await write(laptop.ledger, 'run', [
      kept('tea', 'Ann drinks tea'),
      ...many(5, 'a'),
      kept('cat', 'The cat is called Mo'),
    ]);
    expect((await laptop.oka('replica', 'backfill')).code).toBe(0);
    expect(JSON.stringify(await server.dump())).not.toMatch(/Ann drinks|called Mo/);
    expect(await desk.oka('replica', 'pull')).toMatchObject({ code: 2, err: expect.stringContaining('--ledger') });
    expect((await desk.oka('replica', 'pull', '--ledger', 'nobody')).code).toBe(3);
    const pulled = await desk.oka('replica', 'pull', '--ledger', 'laptop', '--json');
    expect(json(pulled)).toMatchObject({
      facts: 2,
      submitted: ['pulled.laptop.run.1', 'pulled.laptop.run.7'],
      unreadable: 0,
    });
    const intake = join(desk.dir, '.oka/intake');
    const files = readdirSync(intake);
    expect(files).toHaveLength(2);
    expect(await desk.oka('replica', 'pull', '--ledger', 'laptop')).toMatchObject({ code: 0 });
    expect(readdirSync(intake)).toEqual(files);
    const requests = files.map(
      (file) => JSON.parse(readFileSync(join(intake, file), 'utf8')) as { kind: string; fact: { source: string } },
    );
    expect(requests.map(({ kind, fact }) => [kind, fact.source])).toEqual([
      ['remember', 'import'],
      ['remember', 'import'],
    ]);
  });

  it('status is whole for a broken state file, a link and a folder in its place', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder, 'home', 'http://127.0.0.1:9');
    const state = join(home.dir, '.oka/maintenance/replica');
    mkdirSync(join(state, 'switch.json'), { recursive: true });
    writeFileSync(join(state, 'state.json'), '{"v":1,');
    expect(await home.oka('replica', 'status')).toMatchObject({ code: 0, out: expect.stringContaining('not begun') });
  });
});

async function overwrite(server: ConvexServer, seq: number): Promise<void> {
  await server.tamper(async ({ db }) => {
    const row = (await db.query('events').collect()).find((each) => each.seq === seq);
    if (row !== undefined) await db.patch(row._id, { body: { kind: 'plain', text: '{"reason":"nothing"}' } });
    return null;
  });
}
