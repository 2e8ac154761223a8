import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cronLine, launchdAgent, systemdUnit } from '../../../src/app/service/unit-files.ts';
import { temporaryFolder } from '../../support/cli.ts';

const started = {
  name: 'oka-1a2b3c4d',
  program: [process.execPath, '/opt/my oka/bin/oka'],
  dir: '/home/a "b" 100% $HOME',
  path: '/usr/bin:/opt/50%/bin',
};

it('a path with spaces, quotes, percent and dollar signs is one word of the unit', () => {
  const unit = systemdUnit(started);
  expect(unit).toContain(`"/opt/my oka/bin/oka" "up" "--no-setup" "--dir" "/home/a \\"b\\" 100%% $$HOME"\n`);
  expect(unit).toContain('Environment="PATH=/usr/bin:/opt/50%%/bin"\n');
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)('systemd finds nothing wrong with the unit', () => {
  using folder = temporaryFolder();
  const file = join(folder.dir, 'oka-1a2b3c4d.service');
  writeFileSync(file, systemdUnit({ ...started, dir: '/tmp/a "b" 100% $HOME' }));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
    encoding: 'utf8',
    env: { ...process.env, HOME: folder.dir, XDG_RUNTIME_DIR: folder.dir },
  });
  expect(stderr.split('\n').filter((line) => line.includes('oka-1a2b3c4d'))).toEqual([]);
  expect(status).toBe(0);
});

it('a launchd agent has each word as it is', () => {
  const agent = launchdAgent({ ...started, dir: '/Users/a & <b>' }, '/Users/a/log');
  expect(agent).toContain('<string>/Users/a &amp; &lt;b&gt;</string>');
  expect(agent.match(/<string>/g)).toHaveLength(10);
});

it('a line of crontab runs the same command in a shell', () => {
  using folder = temporaryFolder();
  const line = cronLine({ ...started, program: ['printf', '%s\n'], dir: "it's 100% $HOME" });
  const command = line.replace('@reboot ', '').replaceAll('\\%', '%').replace(' 2>&1 | logger -t oka', '');
  const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: folder.dir });
  expect(stdout.split('\n')).toEqual(['up', '--no-setup', '--dir', "it's 100% $HOME", '']);
});
