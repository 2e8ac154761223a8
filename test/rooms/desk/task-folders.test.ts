import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AboutTask, foldersOfTask, type TaskFolders } from '../../../src/rooms/desk/task-folders.ts';
import type { FolderPlaces } from '../../../src/core/guard/folder-paths.ts';
import type { PolicyFolder } from '../../../src/core/schema/folder.ts';

let top: string;
let places: FolderPlaces;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'oka-folders-')));
  for (const name of ['oka', 'workspace/desk', 'program', 'user', 'data/letters', 'private'])
    mkdirSync(join(top, name), { recursive: true });
  const at = (name: string): string => join(top, name);
  places = { oka: at('oka'), workspace: at('workspace'), program: at('program'), user: at('user'), programFolders: [] };
});
afterEach(() => rmSync(top, { recursive: true }));

const folder = (name: string, access: 'read' | 'write', tasks: PolicyFolder['tasks'] = 'all'): PolicyFolder =>
  ({ path: join(top, name), access, tasks }) as PolicyFolder;

function foldersFor(policy: readonly PolicyFolder[], task: Partial<AboutTask> = {}): TaskFolders {
  return foldersOfTask(
    { id: 't', isOfMail: false, name: 't.md', title: 'T', text: '', fields: {}, ...task },
    policy,
    places,
  );
}

const opened = (found: TaskFolders): string[] =>
  found.open.map(({ path, access }) => `${access} ${path.slice(top.length + 1)}`);

describe('the folders of a task', () => {
  it('are those that the policy opens to it, and those that it names within them', () => {
    const policy = [folder('data', 'read', 'named')];
    expect(opened(foldersFor(policy))).toEqual([]);
    expect(opened(foldersFor(policy, { text: `Read ${top}/data/a.txt.` }))).toEqual(['read data']);
    expect(opened(foldersFor(policy, { text: `Read ${top}/database.` }))).toEqual([]);
    expect(opened(foldersFor(policy, { fields: { reads: [`${top}/data/letters`] } }))).toEqual(['read data/letters']);
  });

  it('are not opened by the text, the title or the tags of a task that an agent has started', () => {
    const policy = [folder('data', 'write', 'named'), folder('private', 'write', ['Letters*'])];
    const from_chat = { conversation: '01jd3k5m7abc', message: '01jd3k5m7xyz', agent: 'oka' };
    const task = { title: 'Letters', text: `Write to ${top}/data.` };
    expect(opened(foldersFor(policy, task))).toEqual(['write data', 'write private']);
    expect(opened(foldersFor(policy, { ...task, fields: { from_chat, tags: ['Letters'] } }))).toEqual([]);
    const named = foldersFor(policy, { ...task, fields: { from_chat, writes: [`${top}/data`] } });
    expect([opened(named), named.asks.map(({ path }) => path)]).toEqual([[], [join(top, 'data')]]);
  });

  it('are not opened by the text or the subject of a mail', () => {
    const policy = [folder('data', 'write', 'named'), folder('private', 'write', ['Letters*'])];
    const task = { isOfMail: true, title: 'Letters', text: `Write to ${top}/data.` };
    expect(opened(foldersFor(policy, task))).toEqual([]);
  });

  it('are asked about where the policy allows less than the task names', () => {
    const found = foldersFor([folder('data', 'read')], {
      fields: { writes: [`${top}/data`], reads: [`${top}/private`] },
    });
    expect(opened(found)).toEqual(['read data']);
    expect(found.asks.map(({ path, access }) => [access, path])).toEqual([
      ['read', join(top, 'private')],
      ['write', join(top, 'data')],
    ]);
  });

  it('follow a link that a person made, and none in a folder that tasks write, also when that one is written as a link', () => {
    symlinkSync(join(top, 'data'), join(top, 'linked'));
    const policy = [folder('linked', 'write'), folder('linked/letters', 'read')];
    expect(opened(foldersFor(policy))).toEqual(['write data', 'read data/letters']);
    rmSync(join(top, 'data/letters'), { recursive: true });
    symlinkSync(join(top, 'private'), join(top, 'data/letters'));
    expect(opened(foldersFor(policy))).toEqual(['write data']);
    const { problems } = foldersFor(policy, { fields: { reads: [`${top}/linked/letters`] } });
    expect(problems.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('in a folder that tasks can change'),
    ]);
  });

  it.each([
    ['the records of oka', 'oka', 'read', /rules and records/],
    ['what contains them', '.', 'read', /rules and records/],
    ['the home folder of the user', 'user', 'read', /keys and settings/],
    ['the program, to writing', 'program', 'write', /program oka itself/],
  ] as const)('are never %s', (_, name, access, why) => {
    const { asks, problems } = foldersFor([], { fields: { [`${access}s`]: [join(top, name)] } });
    expect([asks, problems.map(({ problem }) => problem)]).toEqual([[], [expect.stringMatching(why)]]);
  });

  it('are never those with a key in them', () => {
    mkdirSync(join(top, 'data/letters/old'));
    writeFileSync(join(top, 'data/letters/old/id_ed25519'), '');
    const { problems } = foldersFor([], { fields: { reads: [join(top, 'data')] } });
    expect(problems.map(({ problem }) => problem)).toEqual([expect.stringContaining('id_ed25519')]);
  });
});
