/** What a package manager may do while it has the network: fetch packages, and run nothing. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { canJail, whyNot } from '../support/launcher.ts';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
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

describe.skipIf(!canJail || !npm)(`npm install written by a model${whyNot}`, { timeout: 90_000 }, () => {
  it('runs no script of the desk and publishes nothing, whatever the files of the desk say', async () => {
    using packages = await registry();
    const before = process.env['npm_config_registry'];
    process.env['npm_config_registry'] = packages.url;
    try {
      await using story = await openStory({
        model: inParts({
          planner: () => plan([goal('deps', 'Install what the project needs', ['shell'])], ['file: package.json']),
          executor: acting(call('shell', { line: 'npm install --no-audit --no-fund' })),
        }),
      });
      story.write('workspace/desk/package.json', MANIFEST);
      story.write('workspace/desk/.npmrc', `ignore-scripts=false\n${packages.url.slice(5)}:_authToken=stolen\n`);
      await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], {
        cwd: story.desk('.'),
        env: { PATH: process.env['PATH'], HOME: story.desk('.'), npm_config_registry: packages.url },
        timeout: 60_000,
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
});
