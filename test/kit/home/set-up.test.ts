import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { oka, okaWith, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

const TASK = 'Say hello\n\n```bash\necho hello > hello.txt\n```\n';

let folder: TemporaryFolder;
let home: Home;
beforeEach(async () => {
  folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', join(folder.dir, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  home = homeAt(join(folder.dir, 'home'));
  mkdirSync(home.dir);
  expect((await oka('run', TASK, '--dir', home.dir)).code).toBe(0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

/** Ends by itself when it is refused; the signal ends it when it is not. */
const up = (): ReturnType<typeof okaWith> =>
  okaWith({ signal: AbortSignal.timeout(5000) }, 'up', '--alone', '--dir', home.dir);

describe('a home that was set up before', () => {
  it.each(['.oka/rules/POLICY.md', '.oka/rules/config.json', 'workspace/inbox', 'workspace/desk'])(
    'without %s is refused by up, run, init and worker, and nothing is made',
    async (path) => {
      rmSync(join(home.dir, path), { recursive: true });
      for (const ran of [
        await up(),
        await oka('run', TASK, '--dir', home.dir),
        await oka('init', '--dir', home.dir),
        await oka('worker', '--dir', home.dir),
      ])
        expect(ran).toMatchObject({ code: 3, err: expect.stringContaining(`${path} is missing`) as string });
      expect(existsSync(join(home.dir, path))).toBe(false);
    },
  );

  it('whose folder is empty, as the mount point of a volume that is not mounted, does not become a new one', async () => {
    renameSync(home.dir, join(folder.dir, 'volume'));
    mkdirSync(home.dir);
    for (const ran of [
      await up(),
      await oka('run', TASK, '--dir', home.dir),
      await oka('init', '--dir', home.dir),
      await oka('status', '--dir', home.dir),
    ])
      expect(ran).toMatchObject({ code: 3, err: expect.stringContaining('was set up as a home on') as string });
    expect(readdirSync(home.dir)).toEqual([]);
    rmSync(home.dir, { recursive: true });
    renameSync(join(folder.dir, 'volume'), home.dir);
    expect((await oka('run', TASK, '--dir', home.dir)).code).toBe(0);
  });

  it('is known by each of three marks alone: its id, its ledger, the notes of the user', async () => {
    const policy = join(home.oka, 'rules', 'POLICY.md');
    rmSync(policy);
    const marks = [join(home.oka, 'home.json'), home.ledgers.run, join(folder.dir, 'state')];
    for (const left of marks) {
      for (const mark of marks) if (mark !== left) renameSync(mark, `${mark}.away`);
      expect((await oka('init', '--dir', home.dir)).code, left).toBe(3);
      for (const mark of marks) if (mark !== left) renameSync(`${mark}.away`, mark);
    }
    for (const mark of marks) rmSync(mark, { recursive: true });
    expect((await oka('init', '--dir', home.dir)).code).toBe(0);
  });

  it('gets back what is missing by oka init --restore, keeps its id, and still misses the events it has lost', async () => {
    const id = readFileSync(join(home.oka, 'home.json'), 'utf8');
    rmSync(home.oka, { recursive: true });
    const restored = await oka('init', '--restore', '--dir', home.dir);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('POLICY.md') as string });
    expect(readFileSync(join(home.oka, 'home.json'), 'utf8')).toBe(id);
    expect(await oka('run', TASK, '--dir', home.dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('events are missing') as string,
    });
    expect((await oka('ledger', 'accept-rollback', '--dir', home.dir)).code).toBe(0);
    expect((await oka('run', TASK, '--dir', home.dir)).code).toBe(0);
  });

  it('lacks nothing without a README or the folders that are rebuilt', async () => {
    rmSync(join(home.workspace, 'README.md'));
    for (const name of ['brain', 'memory', 'intake']) rmSync(join(home.oka, name), { recursive: true });
    expect((await oka('init', '--dir', home.dir)).code).toBe(0);
    expect(existsSync(join(home.workspace, 'README.md'))).toBe(false);
    expect(existsSync(join(home.oka, 'brain'))).toBe(true);
  });
});

it('a folder with rules of its own and no home in it is set up around them', async () => {
  const other = homeAt(join(folder.dir, 'clone'));
  mkdirSync(join(other.oka, 'rules'), { recursive: true });
  writeFileSync(other.config, '{"sandbox": "none"}');
  expect((await oka('init', '--dir', other.dir)).code).toBe(0);
  expect(readFileSync(other.config, 'utf8')).toBe('{"sandbox": "none"}');
  expect(existsSync(other.policy)).toBe(true);
});

it('is not set up for another user than the one its keys belong to: the command that hands them over is named', async () => {
  vi.stubEnv('OKA_CONTAINER', '1');
  const init = (): ReturnType<typeof oka> => oka('init', '--egress-key', join(folder.dir, 'egress'), '--dir', home.dir);
  expect(await init()).toMatchObject({ code: 0 });
  const me = process.getuid?.() ?? 0;
  vi.spyOn(process, 'getuid').mockReturnValue(4711);
  vi.spyOn(process, 'getgid').mockReturnValue(4712);
  try {
    const refused = await init();
    expect(refused).toMatchObject({
      code: 3,
      err: expect.stringContaining(`belongs to uid ${me}, not to uid 4711`) as string,
    });
    expect(refused.err.replaceAll(/\s+/g, ' ')).toContain(
      `--entrypoint chown init -R 4711:4712 ${join(folder.dir, 'config')} ${join(folder.dir, 'state')} ${folder.dir}`,
    );
  } finally {
    vi.restoreAllMocks();
  }
});
