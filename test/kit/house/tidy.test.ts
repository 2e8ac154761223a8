import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestTidy, requests } from '../../../src/rooms/maintenance/request-tidy.ts';
import { openMaintenance } from '../../../src/rooms/maintenance/open-maintenance.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { openStores, type Stores } from '../../../src/kit/house/stores.ts';
import { tidy } from '../../../src/kit/house/tidy.ts';
import type { Tidying } from '../../../src/core/schema/room.ts';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { readRequests } from '../../../src/kit/requests/read-requests.ts';
import { archiveRuns } from '../../../src/core/ledger/archive-runs.ts';
import { MaintenanceConfig } from '../../../src/core/schema/maintenance.ts';
import { openStory } from '../../support/story.ts';
import { testFolder } from '../../support/test-folders.ts';

const DAY = 24 * 60 * 60_000;
const old = new Date(Date.now() - 60 * DAY);

type Yard = { home: Home; stores: Stores; [Symbol.asyncDispose](): Promise<void> };

async function yard(): Promise<Yard> {
  const home = homeAt(testFolder('oka-tidy-'));
  setUp(home);
  const stores = await openStores(home, await loadConfig(home));
  return {
    home,
    stores,
    [Symbol.asyncDispose]: async () => {
      await stores.close();
      rmSync(home.dir, { recursive: true, force: true });
    },
  };
}

const fileOf = (home: Home, sha256: string): string => join(home.oka, 'artifacts', sha256.slice(0, 2), sha256.slice(2));

/** An artifact that was written long ago. */
async function oldArtifact({ home, stores }: Yard, text: string): Promise<string> {
  const { sha256 } = await stores.artifacts.put(text);
  utimesSync(fileOf(home, sha256), old, old);
  return sha256;
}

function tidying(
  home: Home,
  change: Partial<Omit<Tidying, 'limits'>> & { limits?: Partial<Tidying['limits']> } = {},
): Tidying {
  const before = { artifacts: new Date(Date.now() - 30 * DAY).toISOString(), outbox: null };
  const limits = { before, outbox_mb: null, ...change.limits };
  return { home, isActive: () => false, isDry: false, signal: new AbortController().signal, ...change, limits };
}

const noteOf = (text: string, run = 'r1') => ({ type: 'run.paused', run, data: { reason: text } }) as const;

describe('artifacts', () => {
  it('Y1 Y2 go when they are old and nothing names them: no event, no archived event, no waiting request', async () => {
    await using it = await yard();
    const { home, stores } = it;
    const named = await oldArtifact(it, 'named');
    const archived = await oldArtifact(it, 'archived');
    const hidden = await oldArtifact(it, 'named in the middle of hex');
    const asked = await oldArtifact(it, 'asked for');
    const learned = await oldArtifact(it, 'named by maintenance');
    const lost = await oldArtifact(it, 'lost');
    const { sha256: young } = await stores.artifacts.put('young');
    await stores.ledger.append([
      noteOf(archived),
      { type: 'run.ended', run: 'r1', data: { status: 'done', reason: '' } },
    ]);
    expect(await archiveRuns(stores.ledger, new Date(Date.now() + 1000), 1024)).not.toBeNull();
    await stores.ledger.append([noteOf(named, 'r2'), noteOf(`abc${hidden}def`, 'r2')]);
    submit(join(home.oka, 'intake'), { kind: 'import', body: asked, name: 'x' });
    const m = await openMaintenance(home, await loadConfig(home), { parts: [] });
    await m.append([{ type: 'change.undone', data: { change: 1, reason: learned } }]);
    await m.close();
    const dry = await tidy(tidying(home, { isDry: true }));
    expect([dry.artifacts, existsSync(fileOf(home, lost))]).toEqual([1, true]);
    expect(await tidy(tidying(home))).toEqual({ artifacts: 1, outbox: [], tools: [], bytes: 'lost'.length });
    expect(existsSync(fileOf(home, lost))).toBe(false);
    for (const kept of [named, archived, hidden, asked, learned, young])
      expect(existsSync(fileOf(home, kept))).toBe(true);
    expect(await tidy(tidying(home))).toMatchObject({ artifacts: 0 });
  });

  it('Y2 one that is written again is young again', async () => {
    await using it = await yard();
    const sha256 = await oldArtifact(it, 'once more');
    await it.stores.artifacts.put('once more');
    expect(await tidy(tidying(it.home))).toMatchObject({ artifacts: 0 });
    expect(existsSync(fileOf(it.home, sha256))).toBe(true);
  });

  it('Y4 Y1 links are not followed, and without a ledger everything stays', async () => {
    await using it = await yard();
    const sha256 = await oldArtifact(it, 'elsewhere');
    const outside = testFolder('oka-outside-');
    writeFileSync(join(outside, 'b'.repeat(62)), 'mine');
    utimesSync(join(outside, 'b'.repeat(62)), old, old);
    symlinkSync(outside, join(it.home.oka, 'artifacts', 'bb'));
    await it.stores.ledger.append(noteOf(sha256));
    expect(await tidy(tidying(it.home))).toMatchObject({ artifacts: 0 });
    const other = { ...it.home, ledgers: { run: join(outside, 'none'), maintenance: join(outside, 'none') } };
    expect(await tidy(tidying(other))).toMatchObject({ artifacts: 0 });
    rmSync(outside, { recursive: true });
  });

  it('a segment that cannot be read keeps everything', async () => {
    await using it = await yard();
    const { home, stores } = it;
    await stores.ledger.append([noteOf('x'), { type: 'run.ended', run: 'r1', data: { status: 'done', reason: '' } }]);
    const moved = await archiveRuns(stores.ledger, new Date(Date.now() + 1000), 1024);
    writeFileSync(join(home.oka, 'archive', moved?.segments[0]?.file ?? ''), 'garbage');
    const lost = await oldArtifact(it, 'lost');
    await expect(tidy(tidying(home))).rejects.toThrow('cannot be read');
    expect(existsSync(fileOf(home, lost))).toBe(true);
  });
});

describe('the outbox', () => {
  function result(home: Home, name: string, days: number, bytes = 10): void {
    const folder = join(home.workspace, 'outbox', name);
    mkdirSync(join(folder, 'files'), { recursive: true });
    writeFileSync(join(folder, 'RESULT.md'), 'done');
    writeFileSync(join(folder, 'files', 'a'), Buffer.alloc(bytes));
    const at = new Date(Date.now() - days * DAY);
    for (const path of ['files/a', 'files', 'RESULT.md', '']) utimesSync(join(folder, path), at, at);
  }
  const left = (home: Home, ...names: string[]): string[] =>
    names.filter((name) => existsSync(join(home.workspace, 'outbox', name)));

  it('Y3 loses results that are old, but none of a run that is under way, and nothing that is no result', async () => {
    await using it = await yard();
    const { home } = it;
    for (const [name, days] of [
      ['a', 50],
      ['b', 50],
      ['c', 5],
      ['d', 50],
    ] as const)
      result(home, name, days);
    mkdirSync(join(home.workspace, 'outbox', 'mine'));
    utimesSync(join(home.workspace, 'outbox', 'mine'), old, old);
    writeFileSync(join(home.workspace, 'outbox', 'd', 'files', 'later'), 'added by a person');
    const outside = testFolder('oka-outside-');
    writeFileSync(join(outside, 'RESULT.md'), 'not ours');
    symlinkSync(outside, join(home.workspace, 'outbox', 'link'));
    const limits = { before: { artifacts: null, outbox: new Date(Date.now() - 30 * DAY).toISOString() } };
    expect(await tidy(tidying(home, { limits, isActive: (run) => run === 'b' }))).toMatchObject({ outbox: ['a'] });
    expect(left(home, 'a', 'b', 'c', 'd', 'mine', 'link')).toEqual(['b', 'c', 'd', 'mine', 'link']);
    expect(existsSync(join(outside, 'RESULT.md'))).toBe(true);
    rmSync(outside, { recursive: true });
  });

  it('loses the oldest results when it is too large', async () => {
    await using it = await yard();
    const { home } = it;
    for (const [name, days] of [
      ['a', 4],
      ['b', 3],
      ['c', 2],
      ['d', 1],
    ] as const)
      result(home, name, days, 600_000);
    const limits = { before: { artifacts: null, outbox: null }, outbox_mb: 1 };
    expect(await tidy(tidying(home, { limits }))).toMatchObject({ outbox: ['a', 'b', 'c'] });
    expect(left(home, 'a', 'b', 'c', 'd')).toEqual(['d']);
  });
});

describe('asking to tidy', () => {
  it('is asked once for a time, and not while a request waits', async () => {
    await using it = await yard();
    const m = await openMaintenance(it.home, await loadConfig(it.home), { parts: [] });
    const folder = join(it.home.oka, 'intake');
    const ids = (): string[] => readRequests(folder).map(({ id }) => id);
    await requestTidy(m, '2026-01-02T03:30:00.000Z');
    await requestTidy(m, '2026-01-02T03:30:00.000Z');
    expect(ids()).toEqual(['archive-20260102033000000', 'tidy-20260102033000000']);
    await requestTidy(m, '2026-01-03T03:30:00.000Z');
    expect(ids()).toHaveLength(2);
    await m.close();
  });

  it('says nothing of what is to stay', () => {
    const settings = MaintenanceConfig.parse({ archive_days: null, artifact_days: null });
    expect(requests(settings, Date.now())).toEqual([]);
  });

  it('of a ledger that is too large, all finished runs but those of the last week are to leave', () => {
    const settings = MaintenanceConfig.parse({ archive_mb: 1 });
    const now = Date.parse('2026-06-30T00:00:00Z');
    const beforeOf = (bytes: number): unknown => requests(settings, now, bytes).find(({ kind }) => kind === 'archive');
    expect(beforeOf(1_000_000)).toMatchObject({ before: '2026-04-01T00:00:00.000Z' });
    expect(beforeOf(2_000_000)).toMatchObject({ before: '2026-06-23T00:00:00.000Z' });
  });

  it('old states of the desk go with it, while the worker runs', async () => {
    await using story = await openStory({ config: { maintenance: { undo_days: 1 } } });
    story.work();
    story.drop('a.md', '---\nid: a\n---\n```bash\necho a > a.txt\n```\n');
    await story.ended('a');
    const records = join(story.home.oka, 'undo', 'kept.jsonl');
    const aged = readFileSync(records, 'utf8').replaceAll(/"at":\d+/g, `"at":${Date.now() - 3 * DAY}`);
    writeFileSync(records, aged);
    expect(aged.trim().split('\n').length).toBeGreaterThan(1);
    submit(join(story.home.oka, 'intake'), {
      kind: 'tidy',
      before: { artifacts: null, outbox: null },
      outbox_mb: 1,
    });
    await story.until('its old states are gone', async () =>
      readFileSync(records, 'utf8').trim().split('\n').length === 1 ? true : undefined,
    );
  });

  it('oka status --disk says what takes how much, what goes when, and what would go now', async () => {
    await using story = await openStory({ config: { maintenance: { outbox_days: 5 } } });
    story.work();
    story.drop('a.md', '---\nid: a\n---\n```bash\necho a > a.txt\n```\n');
    await story.ended('a');
    await story.rest();
    const page = join(story.home.workspace, 'outbox', 'a');
    for (const path of readdirSync(page, { recursive: true, encoding: 'utf8' })) utimesSync(join(page, path), old, old);
    utimesSync(page, old, old);
    const { out } = await story.oka('status', '--disk');
    expect(out).toMatch(/undo .*the oldest states go after 30 days, and beyond 2048 MB/);
    expect(out).toMatch(/ledger .*is archived after 90 days, and beyond 256 MB/);
    expect(out).toMatch(/results .*go after 5 days/);
    expect(out).toContain('Tidying now would remove 0 artifacts, 1 result');
    expect(existsSync(page)).toBe(true);
  });

  it('is done by the worker, beside its work, and told', async () => {
    await using story = await openStory();
    story.work();
    const outbox = join(story.home.workspace, 'outbox', 'old-one');
    mkdirSync(outbox, { recursive: true });
    writeFileSync(join(outbox, 'RESULT.md'), 'x');
    utimesSync(join(outbox, 'RESULT.md'), old, old);
    utimesSync(outbox, old, old);
    const before = { artifacts: null, outbox: new Date(Date.now() - DAY).toISOString() };
    submit(join(story.home.oka, 'intake'), { kind: 'tidy', before, outbox_mb: null });
    const told = await story.until('it is tidied', async () => (await story.eventsOf('storage.tidied'))[0]);
    expect(told.data).toMatchObject({ outbox: ['old-one'], artifacts: 0 });
    expect(existsSync(outbox)).toBe(false);
  });
});
