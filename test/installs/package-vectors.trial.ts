/** The tarball of `npm run pack`, with the packages of the checkout as its add-on: nothing of it needs a network. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { retrieveFromWorker } from '../../src/rooms/memory/recall-socket.ts';
import { temporaryFolder } from '../support/cli.ts';
import { testFolder } from '../support/test-folders.ts';

const TOP = join(import.meta.dirname, '../..');

const TALK = ['We brought home a beagle puppy', 'There is an old camper van in the driveway', 'It showed pneumonia'];

it('the package finds by meaning: its threads, its process and its model are in it', async () => {
  using folder = temporaryFolder(testFolder);
  const [oka, home] = [unpack(folder.dir), join(folder.dir, 'home')];
  mkdirSync(home);
  const env = {
    ...process.env,
    XDG_DATA_HOME: join(folder.dir, 'data'),
    XDG_STATE_HOME: join(folder.dir, 'state'),
    XDG_CONFIG_HOME: join(folder.dir, 'config'),
  };
  const run = (input: string, ...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [oka, ...words], {
      cwd: home,
      env,
      input,
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };
  const lines = TALK.map((text, n) => JSON.stringify({ id: `l${n}`, text, at: '2026-01-10T10:00:00Z', who: 'Ann' }));
  writeFileSync(join(home, 'talk.jsonl'), `${lines.join('\n')}\n`);
  run('', 'init');
  run('', 'memory', 'import', 'talk.jsonl');
  expect(run('', 'doctor')).toMatch(/memory .*the add-on "vectors" is not installed[^]*oka add-on add vectors/);
  expect(found(run('automobile\n', 'memory', 'retrieve', '--json', '-'))[0]).toBe('keywords');
  const addOn = join(folder.dir, 'data/oka/add-ons/vectors@checkout');
  mkdirSync(addOn, { recursive: true });
  symlinkSync(join(TOP, 'node_modules'), join(addOn, 'node_modules'));
  expect(found(run('automobile\n', 'memory', 'retrieve', '--json', '-'))).toEqual(BY_MEANING);

  const worker = spawn(process.execPath, [oka, 'worker'], { cwd: home, env, stdio: 'ignore' });
  const ended = once(worker, 'exit');
  try {
    const asked = { query: 'automobile', limit: 1 };
    const ask = async (): Promise<unknown> => {
      const answer = await retrieveFromWorker(homeAt(home), { asked, budget: null, isCounted: false });
      return answer === null ? null : [answer.by, answer.items[0]?.text];
    };
    await expect.poll(ask, { timeout: 120_000 }).toEqual(BY_MEANING);
  } finally {
    worker.kill('SIGINT');
    await ended;
  }
});

const BY_MEANING = ['keywords and vectors', TALK[1]];

function found(answer: string): [by: string, text: string | undefined] {
  const { by, items } = JSON.parse(answer) as { by: string; items: { text: string }[] };
  return [by, items[0]?.text];
}

/** Below node_modules, as npm would install it without the Node that comes along; returns the program. */
function unpack(dir: string): string {
  const installed = join(dir, 'node_modules/oka');
  mkdirSync(installed, { recursive: true });
  const packed = spawnSync('npm', ['run', '-s', 'pack', '--', dir], { cwd: TOP, encoding: 'utf8' });
  expect(packed.status, packed.stderr).toBe(0);
  const [tarball = ''] = globSync('oka-*.tgz', { cwd: dir });
  spawnSync('tar', ['-xzf', join(dir, tarball), '--strip-components=1', '-C', installed]);
  return join(installed, 'bin/oka');
}
