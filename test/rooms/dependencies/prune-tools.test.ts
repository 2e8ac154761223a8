import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { ports } from '../../../src/kit/ports/room-ports.ts';
import { pruneTools, toolsLock } from '../../../src/rooms/dependencies/prune-tools.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { Receipt } from '../../../src/core/schema/dependency.ts';
import { runExclusively, tryRunExclusively } from '../../../src/rooms/dependencies/install/install-lock.ts';
import { switchLinks } from '../../../src/kit/sandbox/tool-links.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

function receipt(by: Receipt['by'], name: string, version: string, folder: string): Receipt {
  return {
    by,
    name,
    version,
    folder,
    links: by === 'python' ? { python: folder } : { [`node/bin/${name}`]: `../${folder.slice(5)}/cli` },
    commands: [name],
    replaces: null,
    contains: [{ name, version, integrity: 'sha256-A' }],
    integrity: 'sha256-A',
    tree: 'a'.repeat(64),
    bytes: 1,
    ms: 1,
    from: 'somewhere',
    scripts: false,
    why: 'x',
    for_run: null,
  };
}

/** A home with two versions of a package and of an environment; the ledger speaks of the newer. */
async function homeWithOldVersions(dir: string): Promise<Home> {
  const home = homeAt(dir);
  setUp(home);
  const tools = join(home.oka, 'tools');
  const kept = [receipt('node', 'cowsay', '2.0.0', 'node/cowsay@2.0.0'), receipt('python', 'qrcode', '7.4', 'venvs/2')];
  await withHost(home, never, async ({ valuesOf }) => {
    const { ledger } = valuesOf({ ledger: ports.ledger });
    for (const data of kept) await ledger.append({ type: 'dependency.installed', data });
    const old = ['node/cowsay@1.0.0', 'node/@a__b@1.0.0', 'venvs/1', 'binaries/jq@1'];
    for (const folder of [...old, ...kept.map((each) => each.folder), 'node/.new-x']) {
      mkdirSync(join(tools, folder), { recursive: true });
      writeFileSync(join(tools, folder, 'cli'), '12345');
    }
    for (const { links } of kept) switchLinks(tools, links);
    switchLinks(tools, { 'bin/jq': '../binaries/jq@1/cli' });
    mkdirSync(join(tools, 'wheels'));
    for (const file of ['qrcode-7.4-py3-none-any.whl', 'agate-1.0-py3-none-any.whl'])
      writeFileSync(join(tools, 'wheels', file), '');
  });
  return home;
}

const paths = (pruned: Awaited<ReturnType<typeof pruneTools>>): string[] =>
  pruned.kind === 'pruned' ? pruned.gone.map(({ path }) => path).toSorted() : [];

describe('taking away what nothing leads to', () => {
  it('U1 U2 takes old versions and idle wheels a day later, and nothing that is used, linked or being made', async () => {
    using folder = temporaryFolder();
    const home = await homeWithOldVersions(folder.dir);
    const tools = join(home.oka, 'tools');
    const gone = ['node/@a__b@1.0.0', 'node/cowsay@1.0.0', 'venvs/1', 'wheels/agate-1.0-py3-none-any.whl'];
    expect(paths(await pruneTools(home))).toEqual([]);
    const later = { now: Date.now() + DAY_MS + 1000 };
    const tried = await pruneTools(home, { ...later, dryRun: true });
    expect(paths(tried)).toEqual(gone);
    expect(tried).toMatchObject({ bytes: 15 });
    expect(existsSync(join(tools, 'venvs/1'))).toBe(true);
    expect(paths(await pruneTools(home, later))).toEqual(gone);
    expect(readdirSync(join(tools, 'node')).toSorted()).toEqual(['.new-x', 'bin', 'cowsay@2.0.0']);
    expect(readdirSync(join(tools, 'binaries'))).toEqual(['jq@1']);
    expect(readdirSync(join(tools, 'venvs'))).toEqual(['2']);
    expect(readdirSync(join(tools, 'wheels'))).toEqual(['qrcode-7.4-py3-none-any.whl']);
    expect(paths(await pruneTools(home, later))).toEqual([]);
  });

  it('touches nothing while something is being installed', async () => {
    using folder = temporaryFolder();
    const home = await homeWithOldVersions(folder.dir);
    const busy = await runExclusively(toolsLock(home), never, () =>
      pruneTools(home, { idleMs: 0, now: Date.now() + 1000 }),
    );
    expect(busy).toEqual({ kind: 'busy' });
    expect(await tryRunExclusively(toolsLock(home), async () => 'free')).toBe('free');
  });

  it('touches nothing when the ledger does not hold: nobody knows what is needed', async () => {
    using folder = temporaryFolder();
    const home = await homeWithOldVersions(folder.dir);
    writeFileSync(home.ledgers.run, '{"seq":1,"not":"a record"}\n', { flag: 'a' });
    expect(await pruneTools(home, { idleMs: 0, now: Date.now() + 1000 })).toEqual({ kind: 'unsure' });
  });

  it('oka tools prune says what would go', async () => {
    using folder = temporaryFolder();
    const home = await homeWithOldVersions(folder.dir);
    expect(await oka('tools', 'prune', '--dry-run', '--dir', home.dir)).toMatchObject({
      code: 0,
      out: 'Nothing can be removed.\n',
    });
    expect(JSON.parse((await oka('tools', 'prune', '--json', '--dir', home.dir)).out)).toMatchObject({
      kind: 'pruned',
      gone: [],
      dry_run: false,
    });
  });
});

describe('the start of a worker', () => {
  it('leaves old versions alone while a command of the worker before may still run from them', async () => {
    using folder = temporaryFolder();
    const home = await homeWithOldVersions(folder.dir);
    const calls = join(home.oka, 'state', 'calls');
    mkdirSync(calls, { recursive: true });
    writeFileSync(join(calls, 'r.a.0.1.result.tmp'), '');
    await withHost(home, never, async () => undefined);
    expect(existsSync(join(home.oka, 'tools/venvs/1'))).toBe(true);
    expect(existsSync(join(home.oka, 'tools/node/.new-x'))).toBe(false);
  });
});
