import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { penHealth } from '../../../src/core/ledger/pen-health.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { launcher, temporaryFolder } from '../../support/cli.ts';
import { testFolder } from '../../support/test-folders.ts';

/** Prints the first notice that comes to a socket; Node has no sockets of this kind. */
const LISTENER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('listening', flush=True)
print(s.recv(4096).decode(), flush=True)
`;
const canListen =
  spawnSync('systemd-notify', ['--version']).status === 0 && spawnSync('python3', ['--version']).status === 0;

it.skipIf(!canListen)(
  'systemd is told that oka is ready when its worker responds, and SIGTERM ends it well',
  async () => {
    using folder = temporaryFolder(testFolder);
    const socket = join(folder.dir, 'notify');
    const home = homeAt(join(folder.dir, 'home'));
    const listener = spawn('python3', ['-c', LISTENER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface(listener.stdout)[Symbol.asyncIterator]();
    let up: ChildProcess | null = null;
    let ended: Promise<unknown[]> = Promise.resolve([]);
    try {
      expect(await lines.next()).toMatchObject({ value: 'listening' });
      const env = { ...process.env, NOTIFY_SOCKET: socket };
      up = spawn(process.execPath, [launcher, 'up', '--alone', '--no-setup', '--dir', home.dir], {
        env,
        stdio: 'ignore',
      });
      ended = once(up, 'close');
      expect(await lines.next()).toMatchObject({ value: 'READY=1' });
      expect(penHealth(home.ledgers.run)).toMatchObject({ silentMs: null });
    } finally {
      up?.kill('SIGTERM');
      listener.kill();
    }
    expect(await ended).toEqual([0, null]);
  },
);
