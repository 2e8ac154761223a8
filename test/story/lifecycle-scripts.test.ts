/** What a package manager may do while it has the network: fetch packages, and run nothing. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/kit/egress/certificates.ts';
import { canJail, whyNot } from '../support/launcher.ts';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

const npm = spawnSync('npm', ['--version']).status === 0;
const MANIFEST = JSON.stringify({
  name: 'mine',
  version: '1.0.0',
  scripts: { preinstall: 'touch ran-preinstall', postinstall: 'npm publish', prepare: 'touch ran-prepare' },
});

/** A registry that knows no package and remembers every request. */
async function registry() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    requests,
    [Symbol.dispose]: () => {
      server.close().closeAllConnections();
    },
  };
}

describe.skipIf(!canJail || !npm)(`npm install written by a model${whyNot}`, () => {
  it('runs no script of the desk and publishes nothing, whatever the files of the desk say', async () => {
    using packages = await registry();
    const before = process.env['npm_config_registry'];
    process.env['npm_config_registry'] = packages.url;
    try {
      await using story = await openStory({
        model: inParts({
          planner: () => plan([goal('deps', 'Install what the project needs', ['shell'])], ['file: package.json']),
          executor: acting(call('shell', { line: 'npm install --no-audit --no-fund' })),
          critic: refusing,
        }),
      });
      story.write('workspace/desk/package.json', MANIFEST);
      story.write('workspace/desk/.npmrc', `ignore-scripts=false\n${packages.url.slice(5)}:_authToken=stolen\n`);
      await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], {
        cwd: story.desk('.'),
        env: { PATH: process.env['PATH'], HOME: story.desk('.'), npm_config_registry: packages.url },
        timeout: 200_000,
      }).catch(() => undefined); // what it published does not matter, only that it tried
      expect(existsSync(story.desk('ran-preinstall'))).toBe(true); // without the guard the scripts run
      expect(packages.requests.filter((each) => each.startsWith('PUT'))).toEqual(['PUT /mine']);
      packages.requests.length = 0;
      for (const name of ['ran-preinstall', 'ran-prepare']) spawnSync('rm', ['-f', story.desk(name)]);
      story.drop('deps.md', '---\nid: deps\n---\nInstall the packages of the project.\n');
      story.work();
      await story.ended('deps');
      expect((await story.eventsOf('call.ended')).filter(({ data }) => data.status === 'ok').length).toBeGreaterThan(0);
      const shell = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === 'shell');
      expect(shell).toHaveLength(1);
      expect([existsSync(story.desk('ran-preinstall')), existsSync(story.desk('ran-prepare'))]).toEqual([false, false]);
      expect(packages.requests.filter((each) => !/^(?:GET|HEAD) /.test(each))).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['npm_config_registry'];
      else process.env['npm_config_registry'] = before;
    }
  });

  it('fetches through a tunnel that the proxy reads, and code of the desk beside it neither publishes nor asks for anything of its own', async () => {
    const authority = createAuthority();
    const requests: string[] = [];
    const tarball = packageOf('left-pad');
    const server = createSecureServer(authority.issue('localhost', Date.now()), (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      if (request.url?.endsWith('.tgz') === true) return void response.end(tarball);
      const dist = { tarball: `${url}left-pad/-/left-pad-1.0.0.tgz` };
      const version = { name: 'left-pad', version: '1.0.0', dist };
      const packument = { name: 'left-pad', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(packument));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    try {
      await using story = await openStory({
        model: inParts({
          planner: () => plan([goal('deps', 'Install left-pad', ['shell'])], ['file: package.json']),
          executor: acting(call('shell', { line: 'npm install --no-audit --no-fund left-pad && node evil.mjs' })),
          critic: refusing,
        }),
      });
      story.write('workspace/desk/package.json', '{ "name": "mine", "version": "1.0.0" }');
      story.write('workspace/desk/.npmrc', `registry=${url}\n`);
      story.write(
        'workspace/desk/evil.mjs',
        `import { writeFileSync } from 'node:fs';
        const to = (method) => fetch('${url}evil', { method }).then((r) => r.status, (e) => String(e.cause ?? e));
        writeFileSync('out.txt', [await to('GET'), await to('PUT')].join(' '));`,
      );
      const certificate = join(story.home.dir, 'registry.pem');
      writeFileSync(certificate, authority.certificate(Date.now()));
      story.drop('deps.md', '---\nid: deps\n---\nInstall left-pad.\n');
      story.start(['worker'], { npm_config_registry: url, NODE_EXTRA_CA_CERTS: certificate });
      await story.ended('deps');
      expect(story.deskText('node_modules/left-pad/package.json')).toContain('left-pad');
      expect(story.deskText('out.txt')).toBe('403 403');
      expect(requests.some((each) => each.endsWith('.tgz'))).toBe(true);
      expect(requests.filter((each) => !each.startsWith('GET '))).toEqual([]);
    } finally {
      server.close().closeAllConnections();
    }
  });
});

function packageOf(name: string): Buffer {
  const dir = mkdtempSync(join(tmpdir(), 'oka-package-'));
  mkdirSync(join(dir, 'package'));
  writeFileSync(join(dir, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }));
  const { stdout } = spawnSync('tar', ['-czf', '-', '-C', dir, 'package']);
  rmSync(dir, { recursive: true });
  return stdout;
}
