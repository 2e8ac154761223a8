/** What uv 0.11.20 was asked and answered, recorded; test/installs/uv.trial.ts does it with a real one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../src/core/schema/tool.ts';
import { fillByUv } from '../../../src/rooms/dependencies/install/fill-by-uv.ts';
import type { InstallContext } from '../../../src/rooms/dependencies/install/installer.ts';
import { readPipSettings } from '../../../src/rooms/dependencies/install/fill-by-uv.ts';
import { chosenWheel, parseLockedPackages } from '../../../src/rooms/dependencies/install/uv-lock.ts';
import { temporaryFolder } from '../../support/cli.ts';

const HASH = '5052e9e2bc53014ad6adbd2b365553bc4c2861982e91a32b4ff748e330ed9624';
const LOCK = `lock-version = "1.0"
created-by = "uv"
requires-python = ">=3.11.2"

[[packages]]
name = "agate"
version = "1.9"
wheels = [{ url = "https://index.example/files/agate-1.9-py3-none-any.whl", upload-time = 2020-01-01T00:00:00Z, hashes = { sha256 = "${HASH}" } }]

[[packages]]
name = "numpy"
version = "2.4.6"
sdist = { url = "https://index.example/files/numpy-2.4.6.tar.gz", size = 9, hashes = { sha256 = "${'b'.repeat(64)}" } }
wheels = [
    { url = "https://index.example/files/numpy-2.4.6-cp311-cp311-macosx_11_0_arm64.whl", size = 5, hashes = { sha256 = "${'c'.repeat(64)}" } },
    { url = "https://index.example/files/numpy-2.4.6-cp311-cp311-manylinux_2_28_aarch64.whl", size = 5, hashes = { sha256 = "${'d'.repeat(64)}" } },
]
`;
const SAID =
  'DEBUG Selecting: numpy==2.4.6 [compatible] (numpy-2.4.6-cp311-cp311-manylinux_2_28_aarch64.whl)\nResolved 2 packages in 300ms';
const NOT_FOUND =
  '  × No solution found when resolving dependencies:\n  ╰─▶ Because agate was not found in the provided package locations\n      and you require agate, we can conclude that your requirements are\n      unsatisfiable.';
const CONFLICT =
  '  × No solution found when resolving dependencies:\n  ╰─▶ Because you require agate<2 and agate>=2, we can conclude that your\n      requirements are unsatisfiable.';
const UNREACHED =
  'error: Request failed after 1 retry in 1.9s\n  Caused by: Failed to fetch: `https://index.example/simple/agate/`\n  Caused by: tcp connect error\n  Caused by: Connection refused (os error 111)';
const ALL_YOUNG =
  '  × No solution found when resolving dependencies:\n  ╰─▶ Because there are no versions of agate …\n\nhint: `agate` was filtered by `exclude-newer` to only include packages uploaded before 2026-11-10T00:00:00Z.';

type Answer = { exit: number; said?: string; lock?: string };

/** A bench whose uv answers as recorded: venv, then compile near, then compile far, then install. */
function played(
  folder: string,
  answers: readonly Answer[],
): { bench: InstallContext; asked: string[][]; nets: boolean[] } {
  const asked: string[][] = [];
  const nets: boolean[] = [];
  const bytes = (text = ''): { head: Buffer; tail: Buffer } => ({ head: Buffer.from(text), tail: Buffer.alloc(0) });
  const bench = {
    tools: folder,
    uv: '/usr/bin/uv',
    python: '/usr/bin/python3',
    npm: { env: {}, files: [] },
    pip: { env: { PIP_INDEX_URL: 'https://index.example/simple' }, files: [] },
    limits: { min_age_days: 3, unknown_age: 'refuse', scripts: [], most_mb: 10 },
    wheels: undefined,
    binaries: {},
    now: Date.parse('2026-11-13T00:00:00Z'),
    run: async (argv, { net }) => {
      const { exit, said, lock } = answers[asked.length] ?? { exit: 99, said: 'nobody asked this of the real one' };
      asked.push([...argv]);
      nets.push(net);
      if (lock !== undefined) writeFileSync(join(folder, 'pylock.toml'), lock);
      return { ended: { how: 'itself' }, exit, signal: null, stdout: bytes(), stderr: bytes(said) } as never;
    },
  } satisfies InstallContext;
  return { bench, asked, nets };
}

const call = { signal: new AbortController().signal } as ToolCall;
const filling = (dir: string) => ({ specs: ['agate'], environment: join(dir, 'env'), work: dir });

describe('what uv locks', () => {
  it('is read whole: sources are no wheels, and of several wheels the one it settled on is taken', () => {
    const [agate, numpy] = parseLockedPackages(LOCK);
    expect(agate).toMatchObject({
      name: 'agate',
      version: '1.9',
      wheels: [{ sha256: HASH, uploaded: '2020-01-01T00:00:00Z' }],
    });
    expect(numpy?.wheels).toHaveLength(2);
    expect(numpy && chosenWheel(numpy, SAID)).toMatchObject({ sha256: 'd'.repeat(64), uploaded: null });
    expect(numpy && chosenWheel(numpy, 'silence')).toBeNull();
  });
});

describe('an environment filled by uv', () => {
  it('is resolved near and then far, by wheels alone and none that is too young, and installed by exact hash', async () => {
    using folder = temporaryFolder();
    const { bench, asked, nets } = played(folder.dir, [
      { exit: 0 },
      { exit: 1, said: NOT_FOUND },
      { exit: 0, said: SAID, lock: LOCK },
      { exit: 0 },
    ]);
    const made = await fillByUv(filling(folder.dir), bench, call);
    expect(made).toMatchObject({ from: 'index.example', wheels: [{ name: 'agate', sha256: HASH }, { name: 'numpy' }] });
    expect(nets).toEqual([false, false, true, true]);
    expect(asked[1]).toEqual(expect.arrayContaining(['--offline', '--no-index', '--only-binary', ':all:']));
    expect(asked[2]).toEqual(expect.arrayContaining(['--exclude-newer', '2026-11-10T00:00:00.000Z', '--only-binary']));
    expect(asked[3]).toEqual(expect.arrayContaining(['--require-hashes', '--no-deps', '--only-binary', '--no-config']));
    expect(asked.flat().some((word) => word.includes('index.example'))).toBe(false);
  });

  it.each([
    ['a conflict', [{ exit: 0 }, { exit: 1, said: CONFLICT }, { exit: 2, said: UNREACHED }], /^it cannot live with/],
    ['no index', [{ exit: 0 }, { exit: 1, said: NOT_FOUND }, { exit: 2, said: UNREACHED }], /index cannot be reached/],
    [
      'only young ones',
      [{ exit: 0 }, { exit: 1, said: NOT_FOUND }, { exit: 1, said: ALL_YOUNG }],
      /younger than 3 days/,
    ],
    [
      'a wrong hash',
      [{ exit: 0 }, { exit: 0, said: SAID, lock: LOCK }, { exit: 1, said: 'error: Hash mismatch for `agate==1.9`' }],
      /not what the index/,
    ],
    [
      'a full disk',
      [{ exit: 0 }, { exit: 0, said: SAID, lock: LOCK }, { exit: 1, said: 'No space left on device (os error 28)' }],
      /disk is full/,
    ],
  ] satisfies [string, Answer[], RegExp][])('%s is a clear reason', async (_, answers, reason) => {
    using folder = temporaryFolder();
    expect(await fillByUv(filling(folder.dir), played(folder.dir, answers).bench, call)).toMatchObject({
      problem: expect.stringMatching(reason) as string,
    });
  });

  it.each([
    ['cannot make an environment', [{ exit: 2, said: 'error: unexpected argument' }]],
    [
      'is too old for what is asked',
      [
        { exit: 0 },
        { exit: 2, said: "error: unexpected argument '--format' found" },
        { exit: 2, said: "error: unexpected argument '--format' found" },
      ],
    ],
    [
      'does not say which wheel it means',
      [{ exit: 0 }, { exit: 0, said: '', lock: LOCK }, { exit: 0, said: '', lock: LOCK }],
    ],
  ] satisfies [string, Answer[]][])('pip does it when uv %s', async (_, answers) => {
    using folder = temporaryFolder();
    expect(await fillByUv(filling(folder.dir), played(folder.dir, answers).bench, call)).toBeNull();
  });
});

describe('where pip is set to look', () => {
  it('is read from its files and variables, of which a variable counts more', () => {
    using folder = temporaryFolder();
    mkdirSync(folder.dir, { recursive: true });
    const file = join(folder.dir, 'pip.conf');
    writeFileSync(
      file,
      '# ours\n[global]\nindex-url = https://a.example/simple\nextra-index-url =\n    https://b.example/simple\n    file:///opt/simple\ntrusted_host: b.example\n[install]\nfind-links = /opt/wheels\n[list]\nindex-url = https://never.example\n',
    );
    expect(readPipSettings({ env: {}, files: [file] })).toEqual({
      index: 'https://a.example/simple',
      extra: ['https://b.example/simple', 'file:///opt/simple'],
      links: ['/opt/wheels'],
      trusted: ['b.example'],
      isOffline: false,
    });
    const env = { PIP_INDEX_URL: 'https://c.example/simple', PIP_NO_INDEX: '1' };
    expect(readPipSettings({ env, files: [file, '/nowhere'] })).toMatchObject({
      index: 'https://c.example/simple',
      isOffline: true,
    });
  });
});
