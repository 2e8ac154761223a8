import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cronLine, launchdAgent, systemdUnit } from '../../../src/app/service/unit-files.ts';
import { launcher, temporaryFolder } from '../../support/cli.ts';

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

const hasPython = spawnSync('python3', ['--version']).status === 0;
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

it.skipIf(!hasPython)(
  'a launchd agent is a list of properties that has each word as it is, and its log is kept small',
  () => {
    const agent = launchdAgent({ ...started, dir: '/Users/a & <b>' }, '/Users/a/log');
    const code = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const { stdout, stderr } = spawnSync('python3', ['-c', code], { input: agent, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      Label: started.name,
      ProgramArguments: [
        ...started.program,
        'up',
        '--no-setup',
        '--dir',
        '/Users/a & <b>',
        '--stay',
        '--log',
        '/Users/a/log',
      ],
      EnvironmentVariables: { PATH: started.path },
      KeepAlive: { SuccessfulExit: false },
      StandardOutPath: '/Users/a/log',
      StandardErrorPath: '/Users/a/log',
    });
  },
);

it('a service that appends to a file keeps it small, and goes on in it', async () => {
  using folder = temporaryFolder();
  const [log, home] = [join(folder.dir, 'log'), join(folder.dir, 'home')];
  writeFileSync(log, `first line\n${'x'.repeat(10_000_000)}`);
  const up = spawn(process.execPath, [launcher, 'up', '--alone', '--no-setup', '--dir', home, '--log', log], {
    stdio: ['ignore', openSync(log, 'a'), 'ignore'],
  });
  const ended = once(up, 'close');
  try {
    await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 60_000 }).toMatch(/^oka watches .*\n/m);
  } finally {
    up.kill('SIGTERM');
  }
  expect(await ended).toEqual([0, null]);
  expect(statSync(log).size).toBeLessThan(100_000);
  expect(readFileSync(`${log}.1`, 'utf8')).toMatch(/^first line\nx/);
});

it('a line of crontab runs the same command in a shell', () => {
  using folder = temporaryFolder();
  const line = cronLine({ ...started, program: ['printf', '%s\n'], dir: "it's 100% $HOME" });
  const command = line.replace('@reboot ', '').replaceAll('\\%', '%').replace(' 2>&1 | logger -t oka', '');
  const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: folder.dir });
  expect(stdout.split('\n')).toEqual(['up', '--no-setup', '--dir', "it's 100% $HOME", '--stay', '']);
});
