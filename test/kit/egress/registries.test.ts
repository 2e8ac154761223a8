/** npm and pip as they are where they are; where it matters what they say, programs that say it. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Asking, askPackageManagers, registriesIn } from '../../../src/kit/egress/registries.ts';
import { hasProgram } from './support.ts';

const findRegistries = async (asking: Asking) => registriesIn(await askPackageManagers(asking));

function folderWith(programs: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'oka-registries-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const npmSays = (settings: object): string => `#!/bin/sh\ncat <<'EOF'\n${JSON.stringify(settings)}\nEOF\n`;
const pipSays = (list: string, usual = ''): string =>
  `#!/bin/sh\nif [ "$1" = -m ]; then cat <<'EOF'\n${list}\nEOF\nelse echo '${usual}'; fi\n`;

it('hosts and ports come from npm and pip, scopes and further indexes included, credentials left behind', async () => {
  const PATH = folderWith({
    npm: npmSays({
      registry: 'https://npm.example.org/',
      '@mine:registry': 'http://user:pass@10.0.0.7:4873/npm/',
      'omit-lockfile-registry-resolved': true,
      'replace-registry-host': 'https://not.a.registry/',
    }),
    python3: pipSays(
      "global.index-url='https://user:pass@pip.example.org/simple'\nglobal.extra-index-url='\\nhttps://more.example.org/simple\\nhttp://[fd00::7]:8080/simple file:///srv/wheels'\nglobal.cert='https://not.an.index/'",
      'https://usual.example.org',
    ),
  });
  expect(await findRegistries({ cwd: PATH, env: { PATH: `${PATH}:/bin:/usr/bin` } })).toEqual([
    { host: 'npm.example.org', port: 443, bases: ['/'] },
    { host: '10.0.0.7', port: 4873, isPlain: true, bases: ['/npm/'] },
    { host: 'pip.example.org', port: 443, bases: ['/simple/'] },
    { host: 'more.example.org', port: 443, bases: ['/simple/'] },
    { host: 'fd00::7', port: 8080, isPlain: true, bases: ['/simple/'] },
  ]);
});

it("npm's settings for the whole machine are a file that npm names, where it is there", async () => {
  const folder = folderWith({ npmrc: '' });
  const ask = async (globalconfig: unknown) => {
    const PATH = folderWith({ npm: npmSays({ globalconfig }), python3: pipSays('') });
    return (await askPackageManagers({ cwd: PATH, env: { PATH: `${PATH}:/bin:/usr/bin` } })).npmGlobalConfig;
  };
  expect(await ask(join(folder, 'npmrc'))).toBe(join(folder, 'npmrc'));
  expect(await ask(join(folder, 'nowhere'))).toBeNull();
  expect(await ask(null)).toBeNull();
});

it('where pip has no index set, pip says which one it uses', async () => {
  const PATH = folderWith({
    npm: npmSays({}),
    python3: pipSays(
      "global.extra-index-url='https://more.example.org/simple'",
      'https://usual.example.org/simple https://files.example.org',
    ),
  });
  const found = await findRegistries({ cwd: PATH, env: { PATH: `${PATH}:/bin:/usr/bin` } });
  expect(found.map(({ host }) => host)).toEqual(['more.example.org', 'usual.example.org', 'files.example.org']);
});

it('G3 a package manager that is missing, fails or talks nonsense has no registries', async () => {
  const nothing = folderWith({});
  expect(await findRegistries({ cwd: nothing, env: { PATH: nothing } })).toEqual([]);
  const PATH = folderWith({ npm: '#!/bin/sh\necho nonsense\n', python3: '#!/bin/sh\nexit 3\n' });
  expect(await findRegistries({ cwd: PATH, env: { PATH: `${PATH}:/bin` } })).toEqual([]);
});

it.skipIf(!hasProgram('npm'))(
  'G1 npm goes by the folder it is asked in, which is why that is not the desk',
  async () => {
    const desk = folderWith({
      '.npmrc': 'registry=https://evil.example.org/\n@x:registry=https://evil.example.org/\n',
    });
    const cwd = folderWith({});
    const hostsFrom = async (folder: string): Promise<string[]> => {
      const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: cwd };
      return (await findRegistries({ cwd: folder, env })).map(({ host }) => host);
    };
    expect(await hostsFrom(desk)).toContain('evil.example.org');
    expect(await hostsFrom(cwd)).not.toContain('evil.example.org');
  },
);
