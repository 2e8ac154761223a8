/**
 * Package managers as a model calls them, in the sandbox, behind the proxy that reads their requests, with a registry of
 * this machine behind TLS: `left-pad` needs `is-even`, and `alpha` needs `beta`. A manager that npm cannot install here is
 * skipped with a word.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/kit/egress/certificates.ts';
import { canJail, whyNot } from '../support/launcher.ts';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const REQUIRES: Readonly<Record<string, string | null>> = {
  'left-pad': 'is-even',
  'is-even': null,
  alpha: 'beta',
  beta: null,
};

type Manager = {
  name: string;
  /** What npm installs it from, and the file that it starts; null if it is there anyway. */
  from: { name: string; file: string; as: string } | null;
  line: string;
  /** A file that is on the desk if the package that was only required is installed. */
  proof: string;
  files?: Readonly<Record<string, string>>;
};

/** Without programs that find their settings in the home folder, as those of pyenv. */
const PATH = '/usr/local/bin:/usr/bin:/bin';
const manifest = { 'package.json': JSON.stringify({ name: 'mine', version: '1.0.0' }) };
const proof = 'node_modules/is-even/package.json';
const managers: Manager[] = [
  { name: 'npm', from: null, line: 'npm install left-pad', proof },
  {
    name: 'pnpm',
    from: { name: 'pnpm@10', file: 'bin/pnpm.cjs', as: 'pnpm' },
    line: 'pnpm add left-pad',
    proof: 'node_modules/.pnpm/is-even@1.0.0/node_modules/is-even/package.json',
  },
  { name: 'yarn 1', from: { name: 'yarn@1.22.22', file: 'bin/yarn.js', as: 'yarn' }, line: 'yarn add left-pad', proof },
  {
    name: 'yarn 4',
    from: { name: '@yarnpkg/cli-dist@4', file: 'bin/yarn.js', as: 'yarn' },
    line: 'yarn add left-pad',
    proof,
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\nenableGlobalCache: false\n', 'yarn.lock': '' },
  },
  { name: 'pip', from: null, line: 'python3 -m pip install --target libs alpha', proof: 'libs/beta.py' },
];

describe.skipIf(!canJail)(`behind a proxy that reads their requests${whyNot}`, () => {
  it.each(managers)('$name installs a package and what it requires', async (manager) => {
    using packages = await registry();
    const { requests, told, file } = await install(manager, packages, ({ dir }) => ({
      npm_config_registry: packages.url,
      PIP_INDEX_URL: `${packages.url}simple/`,
      NODE_EXTRA_CA_CERTS: packages.writeAuthority(dir),
    }));
    if (told === null) return console.warn(`skipped: npm cannot install ${manager.name} here`);
    expect(file, told).not.toBe('');
    expect(requests.filter((each) => !/^(?:GET|HEAD) /.test(each) || each.includes('stolen'))).toEqual([]);
    expect(requests.some((each) => /(?:is-even|beta)-1\.0\.0\S*\.(?:tgz|whl)/.test(each))).toBe(true);
  });

  it.each(managers.filter(({ from }) => from === null))(
    '$name goes by the settings of the operator: registry, authority, and not by their proxy',
    async (manager) => {
      using packages = await registry();
      const settings = ({ dir }: { dir: string }, cafile: string): Record<string, string> => {
        const home = mkdtempSync(join(dir, 'user-'));
        const npmrc = join(home, '.npmrc');
        const proxy = 'http://127.0.0.1:9/';
        writeFileSync(
          npmrc,
          `registry=${packages.url}\n//localhost/:_authToken=mine\ncafile=${cafile}\nproxy=${proxy}\n`,
        );
        const pip = join(home, 'pip.conf');
        writeFileSync(pip, `[global]\nindex-url = ${packages.url}simple/\nproxy = ${proxy}\n`);
        const npm = { npm_config_registry: '', npm_config_cafile: '', npm_config_userconfig: npmrc };
        return { PATH, HOME: home, ...npm, PIP_CONFIG_FILE: pip, PIP_CERT: cafile };
      };
      const good = await install(manager, packages, (home) => settings(home, packages.writeAuthority(home.dir)));
      expect(good.file, good.told ?? '').not.toBe('');
      const bad = await install(manager, packages, (home) => settings(home, '/nonexistent'));
      expect(bad.file).toBe('');
      expect(bad.told).toContain('is signed by an authority that is not trusted');
    },
  );
});

/** The requests that came, how the command ended (null if the manager cannot be had), and the proof. */
async function install(
  { from, line, proof: file, files = {} }: Manager,
  { url, requests }: Pick<Awaited<ReturnType<typeof registry>>, 'url' | 'requests'>,
  environment: (home: { dir: string }) => Record<string, string>,
) {
  await using story = await openStory({
    model: inParts({
      planner: () => plan([goal('deps', 'Install it', ['shell'])], ['file: package.json']),
      executor: acting(call('shell', { line: `node evil.mjs; exec ${line}` })),
      critic: refusing,
    }),
  });
  if (from !== null && !installManager(join(story.home.dir, '.oka/tools/node'), from))
    return { requests, told: null, file: '' };
  const stolen = ['stolen', 'left-pad?stolen'].map((path) => `await fetch('${url}${path}').catch(() => null);`);
  for (const [name, text] of Object.entries({ ...manifest, ...files, 'evil.mjs': stolen.join('\n') }))
    story.write(`workspace/desk/${name}`, text);
  story.drop('deps.md', '---\nid: deps\n---\nInstall it.\n');
  story.start(['worker'], environment(story.home));
  await story.ended('deps');
  const ended = (await story.eventsOf('call.ended')).filter(({ data }) => data.node === 'deps');
  const there = story.desk(file);
  return {
    requests,
    told: JSON.stringify(ended.map(({ data }) => data)),
    file: existsSync(there) ? readFileSync(there, 'utf8') : '',
  };
}

/** A registry of npm and an index of Python. */
async function registry() {
  const authority = createAuthority();
  const requests: string[] = [];
  const server = createServer(authority.issue('localhost', Date.now()), (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const path = decodeURIComponent(request.url ?? '')
      .slice(1)
      .replace(/\/$/, '');
    const [, wheel] = /^simple\/\w+\/(\w+)-1\.0\.0-py3-none-any\.whl$/.exec(path) ?? [];
    const [, tarball] = /^[\w-]+\/-\/([\w-]+)-1\.0\.0\.tgz$/.exec(path) ?? [];
    if (wheel !== undefined) return void response.end(wheelOf(wheel));
    if (tarball !== undefined) return void response.end(tarballOf(tarball));
    const [, indexed] = /^simple\/(\w+)$/.exec(path) ?? [];
    const found = indexed ?? path;
    if (!Object.hasOwn(REQUIRES, found)) return void response.writeHead(404).end('{}');
    if (indexed === undefined)
      return void response.setHeader('content-type', 'application/json').end(JSON.stringify(packumentOf(found, url)));
    const name = `${indexed}-1.0.0-py3-none-any.whl`;
    response
      .setHeader('content-type', 'text/html')
      .end(`<!DOCTYPE html><html><body><a href="${name}">${name}</a></body></html>`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    requests,
    writeAuthority: (dir: string): string => {
      const file = join(dir, 'registry.pem');
      writeFileSync(file, authority.certificate(Date.now()));
      return file;
    },
    [Symbol.dispose]: () => {
      server.close().closeAllConnections();
    },
  };
}

function packumentOf(name: string, url: string): object {
  const bytes = tarballOf(name);
  const needed = REQUIRES[name] ?? null;
  const dist = {
    tarball: `${url}${name}/-/${name}-1.0.0.tgz`,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    shasum: createHash('sha1').update(bytes).digest('hex'),
  };
  const version = { name, version: '1.0.0', dependencies: needed === null ? {} : { [needed]: '1.0.0' }, dist };
  return {
    name,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': version },
    time: { '1.0.0': '2020-01-01T00:00:00.000Z' },
  };
}

const made = new Map<string, Buffer>();

function tarballOf(name: string): Buffer {
  const needed = REQUIRES[name] ?? null;
  const about = { name, version: '1.0.0', dependencies: needed === null ? {} : { [needed]: '1.0.0' } };
  return archive(`${name}.tgz`, { 'package/package.json': JSON.stringify(about) }, ['tar', '-czf', 'made', 'package']);
}

function wheelOf(name: string): Buffer {
  const info = `${name}-1.0.0.dist-info`;
  const needed = REQUIRES[name] ?? null;
  const files = {
    [`${name}.py`]: `name = '${name}'\n`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0.0\n${needed === null ? '' : `Requires-Dist: ${needed}\n`}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `${name}.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  };
  return archive(`${name}.whl`, files, ['python3', '-m', 'zipfile', '-c', 'made', `${name}.py`, info]);
}

function archive(key: string, files: Readonly<Record<string, string>>, [program = '', ...args]: string[]): Buffer {
  const before = made.get(key);
  if (before !== undefined) return before;
  const folder = mkdtempSync(join(tmpdir(), 'oka-package-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  spawnSync(program, args, { cwd: folder });
  const bytes = readFileSync(join(folder, 'made'));
  rmSync(folder, { recursive: true });
  made.set(key, bytes);
  return bytes;
}

/** Among the tools of the home, as if the installer had fetched it. */
function installManager(prefix: string, { name, file, as }: NonNullable<Manager['from']>): boolean {
  if (spawnSync('npm', ['install', '-g', '--ignore-scripts', '--prefix', prefix, name]).status !== 0) return false;
  const folder = join(prefix, 'lib/node_modules', name.replace(/(?<=.)@.*/, ''));
  const bin = join(prefix, 'bin', as);
  rmSync(bin, { force: true });
  writeFileSync(bin, `#!/bin/sh\nexec node ${join(folder, file)} "$@"\n`, { mode: 0o755 });
  return true;
}
