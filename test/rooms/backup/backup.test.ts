import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openStore, readState, stateTimes } from '../../../src/rooms/backup/backup-store.ts';
import { recoverySeal } from '../../../src/rooms/backup/backup-keys.ts';
import { sealFor } from '../../../src/kit/vault/open-vault.ts';
import { launcher, oka, okaWith, setEnvironment, temporaryFolder } from '../../support/cli.ts';
import { openStory } from '../../support/story.ts';

const MADE_AGAIN =
  /^\.oka\/(locks|index|cache|active_task_graph\.json|state\/(.*\.sock|projections\.jsonl|calls|runs|backup\.json|.*\.(lock|reserve))|PAUSED|RESTORED)/;

/** Every path below a folder with what is there, but what oka makes again. */
function contents(dir: string, at = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(dir, at))) {
    const path = at === '' ? name : `${at}/${name}`;
    if (MADE_AGAIN.test(path)) continue;
    const stats = lstatSync(join(dir, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[path] = `link to ${readlinkSync(join(dir, path))}`;
    else if (stats.isFile()) found[path] = `${mode} ${stats.mtimeMs} ${readFileSync(join(dir, path), 'latin1')}`;
    else if (stats.isDirectory())
      Object.assign(found, path === '.oka/state' ? {} : { [path]: mode }, contents(dir, path)); // the note about the backup makes it
  }
  return found;
}

async function homeWithBackup() {
  const story = await openStory({ config: {} });
  const there = temporaryFolder();
  const to = join(there.dir, 'backups');
  const key = join(there.dir, 'recovery.key');
  story.write('workspace/desk/notes.md', 'first\n');
  return {
    story,
    to,
    key,
    dir: there.dir,
    backUp: (...words: string[]) => story.oka('backup', '--to', to, ...words),
    restore: (dir: string, ...words: string[]) => {
      const undo = setEnvironment({
        XDG_CONFIG_HOME: join(there.dir, 'config'),
        XDG_STATE_HOME: join(there.dir, 'state'),
      });
      return oka('restore', '--from', to, '--key', key, ...words, '--dir', join(there.dir, dir)).finally(undo);
    },
    [Symbol.asyncDispose]: async () => {
      await story[Symbol.asyncDispose]();
      there[Symbol.dispose]();
    },
  };
}

/** On a slow machine it also says how far it is. */
const problemsIn = ({ err }: { err: string }): string => err.replaceAll(/^[a-z]+: [\d.]+ .?B.*\n/gm, '');

it('another machine has the whole home again with the recovery key alone, byte for byte, secrets included', async () => {
  await using home = await homeWithBackup();
  const { story } = home;
  const desk = join(story.home.workspace, 'desk');
  writeFileSync(join(desk, 'large.bin'), Buffer.alloc(9 * 1024 * 1024, 'ab'));
  writeFileSync(join(desk, 'empty'), '');
  mkdirSync(join(desk, 'folder', 'inner'), { recursive: true });
  symlinkSync('../notes.md', join(desk, 'folder', 'link'));
  writeFileSync(join(desk, 'folder', 'run.sh'), 'echo');
  chmodSync(join(desk, 'folder', 'run.sh'), 0o750);
  execFileSync('mkfifo', [join(desk, 'pipe')]);
  await okaWith({ input: 'value-of-a-secret' }, 'secrets', 'set', 'TOKEN', '--dir', story.home.dir);
  const made = await home.backUp('--recovery-key', home.key);
  expect(problemsIn(made)).toBe('');
  expect(made.out).toContain('Left out: workspace/desk/pipe (neither a file, a folder nor a link)');
  const restored = await home.restore('again');
  expect(problemsIn(restored)).toBe('');
  expect(restored.out).toContain('It is paused');
  const there = join(home.dir, 'again');
  rmSync(join(desk, 'pipe'));
  expect(contents(there)).toEqual(contents(story.home.dir));
  const undo = setEnvironment({ XDG_CONFIG_HOME: join(home.dir, 'config'), XDG_STATE_HOME: join(home.dir, 'state') });
  expect((await oka('verify', '--dir', there)).code).toBe(0);
  const told = ['PAUSED', 'RESTORED'].map((name) => join(there, '.oka', name));
  expect(told.map((file) => existsSync(file))).toEqual([true, true]);
  expect((await oka('unpause', '--dir', there)).code).toBe(0);
  expect(told.map((file) => existsSync(file))).toEqual([false, false]);
  expect((await oka('secrets', 'list', '--dir', there)).out).toContain('TOKEN');
  undo();
  for (const name of readdirSync(join(home.to, 'packs')))
    expect(readFileSync(join(home.to, 'packs', name)).toString('latin1')).not.toMatch(/first|TOKEN|notes\.md/);
});

it('a second backup stores what is new only, and each of both can be brought back', async () => {
  await using home = await homeWithBackup();
  writeFileSync(join(home.story.home.workspace, 'desk', 'large.bin'), Buffer.alloc(9 * 1024 * 1024, 'ab'));
  await home.backUp('--recovery-key', home.key);
  home.story.write('workspace/desk/notes.md', 'second\n');
  const second = await home.backUp('--json');
  expect((JSON.parse(second.out) as { added: number }).added).toBeLessThan(4000);
  const [latest, first] = stateTimes(home.to);
  await home.restore('newer');
  await home.restore('older', '--state', first?.toISOString() ?? '');
  expect(readFileSync(join(home.dir, 'newer/workspace/desk/notes.md'), 'utf8')).toBe('second\n');
  expect(readFileSync(join(home.dir, 'older/workspace/desk/notes.md'), 'utf8')).toBe('first\n');
  expect(latest?.getTime()).toBeGreaterThan(first?.getTime() ?? 0);
  await home.restore('one', '--only', 'workspace/desk/notes.md');
  expect(contents(join(home.dir, 'one'))).toHaveProperty(['workspace/desk/notes.md']);
  expect(existsSync(join(home.dir, 'one', '.oka'))).toBe(false);
});

it('a record that is half written is not in the backup', async () => {
  await using home = await homeWithBackup();
  await okaWith({ input: 'value-of-a-secret' }, 'secrets', 'set', 'TOKEN', '--dir', home.story.home.dir);
  appendFileSync(home.story.home.ledgers.run, '{"v":1,"seq":99999,"ty');
  await home.backUp('--recovery-key', home.key);
  expect(problemsIn(await home.restore('again'))).toBe('');
  expect(readFileSync(join(home.dir, 'again/.oka/run_ledger.jsonl'), 'utf8').endsWith('\n')).toBe(true);
});

it('nothing is overwritten, and a key that is not the one opens nothing', async () => {
  await using home = await homeWithBackup();
  await home.backUp('--recovery-key', home.key);
  mkdirSync(join(home.dir, 'full'));
  writeFileSync(join(home.dir, 'full', 'mine'), 'mine');
  const refused = await home.restore('full');
  expect(refused).toMatchObject({ code: 3, out: '' });
  expect(refused.err).toContain('is not empty');
  const other = 'AGE-SECRET-KEY-1GYPPWKT0XRDFJ3NXCZ4M5FCS5QXEYK4AD3VCJZ2PQVE4PDSCK98QAHQQDD';
  writeFileSync(join(home.dir, 'other.key'), other);
  expect((await home.restore('again', '--key', join(home.dir, 'other.key'))).code).not.toBe(0);
  expect(existsSync(join(home.dir, 'again'))).toBe(false);
});

it('damage is found, named, and mended by the next backup as far as files are still there', async () => {
  await using home = await homeWithBackup();
  await home.backUp('--recovery-key', home.key);
  const pack = readdirSync(join(home.to, 'packs')).find((name) => !name.includes('index')) ?? '';
  const sound = readFileSync(join(home.to, 'packs', pack));
  truncateSync(join(home.to, 'packs', pack), sound.length - 10);
  const found = await home.story.oka('backup', 'check', '--to', home.to);
  expect(found.code).toBe(1);
  expect(found.out).toContain(pack);
  expect((await home.restore('again')).code).not.toBe(0);
  expect(existsSync(join(home.dir, 'again'))).toBe(false);
  rmSync(join(home.to, 'packs', pack));
  await home.backUp();
  expect(problemsIn(await home.restore('again'))).toBe('');
});

it('a folder that somebody has begun with another recovery key is refused', async () => {
  await using home = await homeWithBackup();
  await home.backUp('--recovery-key', home.key);
  const tag = join(home.to, 'oka-backup.json');
  const swapped = readFileSync(tag, 'utf8').replace(/age1[a-z0-9]{8}/, 'age1qqqqqqqq');
  writeFileSync(tag, swapped);
  expect(await home.backUp()).toMatchObject({ code: 3 });
});

it('a list that leads out of the folder is refused, although it was encrypted', async () => {
  await using home = await homeWithBackup();
  await home.backUp('--recovery-key', home.key);
  const secret = /AGE-SECRET-KEY-1\w+/.exec(readFileSync(home.key, 'utf8'))?.[0] ?? '';
  const recipient = /age1\w+/.exec(readFileSync(home.key, 'utf8'))?.[0] ?? '';
  const crypt = { ...recoverySeal(secret), seal: (plain: Uint8Array) => sealFor([recipient], plain) };
  const [latest = new Date()] = stateTimes(home.to);
  const state = await readState(home.to, latest, crypt);
  const store = await openStore(home.to, crypt);
  const [file] = state.files.filter(({ path }) => path === 'workspace/desk/notes.md');
  await store.finish({
    ...state,
    at: '2030-01-01T00:00:00.000Z',
    files: [...state.files, { ...file!, path: '../outside' }],
  });
  expect((await home.restore('again')).err).toContain('outside the home');
  expect(existsSync(join(home.dir, 'outside'))).toBe(false);
});

it('without a terminal and a file for it no recovery key is made, and nothing is written', async () => {
  await using home = await homeWithBackup();
  const refused = await home.backUp();
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toContain('--recovery-key FILE');
  expect(existsSync(home.to)).toBe(false);
});

/** Through a shell and real pipes, as a person would, with keys of another machine for what restores. */
function piped(home: Awaited<ReturnType<typeof homeWithBackup>>, line: string) {
  const elsewhere = `XDG_CONFIG_HOME=${join(home.dir, 'config')} XDG_STATE_HOME=${join(home.dir, 'state')}`;
  const words = line.replaceAll('restore', `restore --key ${home.key} --from -`).replaceAll('oka ', `${launcher} `);
  return spawnSync('bash', ['-o', 'pipefail', '-c', words.replaceAll('ELSEWHERE', elsewhere)], {
    encoding: 'utf8',
    cwd: home.dir,
    env: { ...process.env, OKA_DIR: home.story.home.dir },
  });
}

it('a whole backup goes through a pipe, nothing of it readable, and comes back byte for byte; tar lists it', async () => {
  await using home = await homeWithBackup();
  const { story } = home;
  writeFileSync(join(story.home.workspace, 'desk', 'large.bin'), randomBytes(9 * 1024 * 1024));
  const made = piped(
    home,
    `oka backup --to - --recovery-key ${home.key} | tee backup.tar | ELSEWHERE oka restore --dir again`,
  );
  expect(made.stderr).toContain('Backed up to stdout');
  expect(made).toMatchObject({ status: 0 });
  expect(contents(join(home.dir, 'again'))).toEqual(contents(story.home.dir));
  const names = execFileSync('tar', ['-tf', join(home.dir, 'backup.tar')], { encoding: 'utf8' }).split('\n');
  expect(names[0]).toBe('oka-backup.json');
  expect(names.filter((name) => name.startsWith('states/'))).toHaveLength(1);
  expect(readFileSync(join(home.dir, 'backup.tar')).toString('latin1')).not.toMatch(/notes\.md|first\n/);
});

it('a stream that was cut, is another archive or leads elsewhere restores nothing, and leaves nothing behind', async () => {
  await using home = await homeWithBackup();
  expect(piped(home, `oka backup --to - --recovery-key ${home.key} > backup.tar`).status).toBe(0);
  const whole = readFileSync(join(home.dir, 'backup.tar'));
  writeFileSync(join(home.dir, 'half.tar'), whole.subarray(0, whole.length >> 1));
  writeFileSync(join(home.dir, 'no-end.tar'), whole.subarray(0, whole.length - 1024));
  symlinkSync('/', join(home.dir, 'packs'));
  execFileSync('tar', ['-cf', 'link.tar', 'packs'], { cwd: home.dir });
  execFileSync('tar', ['-cPf', 'above.tar', '--transform', 's,^,../,', 'recovery.key'], { cwd: home.dir });
  for (const name of ['half', 'no-end', 'link', 'above']) {
    const { status, stderr } = piped(home, `TMPDIR=${home.dir} ELSEWHERE oka restore --dir again < ${name}.tar`);
    expect([name, status]).toEqual([name, 3]);
    expect(stderr).toMatch(/the stream ends in the middle of a backup|not a backup that oka has written/);
    expect(existsSync(join(home.dir, 'again'))).toBe(false);
  }
  expect(readdirSync(home.dir).filter((name) => name.startsWith('oka-'))).toEqual([]);
});

it('a backup that nobody reads to its end is no backup, and says so', async () => {
  await using home = await homeWithBackup();
  writeFileSync(join(home.story.home.workspace, 'desk', 'large.bin'), randomBytes(4 * 1024 * 1024));
  const { status, stderr } = piped(
    home,
    `TMPDIR=${home.dir} oka backup --to - --recovery-key ${home.key} | head -c 100`,
  );
  expect(status).toBe(3);
  expect(stderr).toContain('nobody has read the backup to its end');
  expect(readdirSync(home.dir).filter((name) => name.startsWith('oka-'))).toEqual([]);
  expect(piped(home, 'oka backup --to - --json').stderr).toContain('both need stdout');
});
