import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expandFolder, findFolder, type FolderPlaces, whyNeverOpened } from '../../../src/core/guard/folder-paths.ts';

let top: string;
const at = (path: string): string => join(top, path);

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'oka-paths-')));
  for (const name of ['user/Documents', 'user/.ssh', 'desk', 'data/deep', 'elsewhere'])
    mkdirSync(at(name), { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true }));

describe('the path that a person wrote', () => {
  it.each([
    ['~', '/home/me'],
    ['~/Documents/', '/home/me/Documents'],
    ['/srv//backup/.', '/srv/backup'],
    ['/', '/'],
  ])('%s is %s', (written, path) => {
    expect(expandFolder(written, '/home/me')).toEqual({ path });
  });

  it.each([
    ['Documents', /not an absolute path/],
    ['~you/x', /not an absolute path/],
    ['/srv/../etc', /\.\. in it/],
    ['/srv/a\nb', /cannot be seen/],
    ['/srv/a\u200Bb', /cannot be seen/],
  ])('%j is refused', (written, problem) => {
    expect(expandFolder(written, '/home/me')).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('begins with ~ only where the user has a home folder', () => {
    expect(expandFolder('~/x', null)).toEqual({ problem: expect.stringContaining('no home folder') });
  });
});

describe('where a folder really is', () => {
  it('follows links of people, also relative ones and several', () => {
    symlinkSync('data', at('one'));
    symlinkSync(at('one/deep'), at('two'));
    expect(findFolder(at('two'), [])).toEqual({ real: at('data/deep') });
  });

  it('follows none inside a folder that tasks write, whatever it leads to', () => {
    symlinkSync(at('elsewhere'), at('desk/link'));
    expect(findFolder(at('desk/link'), [at('desk')])).toEqual({
      problem: expect.stringContaining('goes through a link'),
    });
    symlinkSync(at('desk'), at('way'));
    expect(findFolder(at('way/link'), [at('desk')])).toEqual({
      problem: expect.stringContaining('goes through a link'),
    });
    expect(findFolder(at('desk/link'), [])).toEqual({ real: at('elsewhere') });
  });

  it('is nowhere for what is missing, a file, or a circle of links', () => {
    writeFileSync(at('file'), '');
    symlinkSync('circle', at('circle'));
    expect(findFolder(at('nothing/here'), [])).toEqual({ problem: 'is not there', isMissing: true });
    expect(findFolder(at('file'), [])).toEqual({ problem: 'is not a folder' });
    expect(findFolder(at('circle'), [])).toEqual({ problem: 'is a circle of links' });
  });
});

describe('what is never opened', () => {
  const places = (): FolderPlaces => ({
    oka: at('home/.oka'),
    workspace: at('home/workspace'),
    program: at('program'),
    user: at('user'),
    programFolders: [at('user/bin')],
  });

  it.each([
    ['home', 'read', /records of oka/],
    ['home/.oka/rules', 'read', /records of oka/],
    ['home/workspace/desk/x', 'read', /on the desk/],
    ['home/workspace/inbox', 'write', /tasks and results/],
    ['program/src', 'write', /program oka/],
    ['user', 'read', /keys and settings/],
    ['.', 'read', /records of oka/],
    ['user/.ssh', 'read', /keys/],
    ['user/.config/git', 'read', /keys/],
    ['user/bin', 'write', /programs that you start/],
  ] as const)('%s, to %s', (name, access, why) => {
    expect(whyNeverOpened({ path: at(name), access }, places())).toMatch(why);
  });

  it.each([
    ['user/Documents', 'write'],
    ['data', 'write'],
    ['program/docs', 'read'],
    ['home/workspace/outbox', 'read'],
  ] as const)('is not %s, to %s', (name, access) => {
    expect(whyNeverOpened({ path: at(name), access }, places())).toBeNull();
  });

  it.each(['/etc', '/proc/self', '/', '/dev'])('%s of the machine is, to reading as well', (path) => {
    expect(whyNeverOpened({ path, access: 'read' }, places())).not.toBeNull();
  });

  it('a folder is, with a key in it, and the reason names the key', () => {
    writeFileSync(at('data/deep/id_rsa'), '');
    expect(whyNeverOpened({ path: at('data'), access: 'read' }, places())).toContain(at('data/deep/id_rsa'));
  });
});
