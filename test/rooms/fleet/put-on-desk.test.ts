import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changedFiles, chooseBase, foldersAt } from '../../../src/rooms/fleet/put-on-desk.ts';
import type { StoredMessage } from '../../../src/rooms/fleet/servers/run-owner.ts';
import { describeFile, type FolderFile } from '../../../src/rooms/fleet/run-folder.ts';
import { testFolder } from '../../support/test-folders.ts';

const file = (path: string, content: string, executable = false): FolderFile => ({ path, sha256: content, executable });

it('what did not travel, or is left out, counts as unchanged: it is not taken for removed', () => {
  const base = ['same', 'edited', 'removed', 'a-link-now', 'folder/inside', '.envrc', 'mode'].map((path) =>
    file(path, '0'),
  );
  const theirs = [file('same', '0'), file('edited', '1'), file('mode', '0', true), file('new', '1')];
  const desk = [...theirs, file('.envrc', '1')];
  const changed = changedFiles(base, theirs, { desk, left: ['a-link-now', 'folder'] });
  expect(changed.base.map(({ path }) => path)).toEqual(['edited', 'removed', 'mode']);
  expect(changed.theirs.map(({ path }) => path)).toEqual(['edited', 'mode', 'new']);
});

it('the base of a home is what it last recorded, or perhaps restored when it took the run over', () => {
  const folders = (...said: readonly (readonly [worker: string, desk?: string | null])[]): (string | null)[] =>
    foldersAt(
      'home',
      said.map(([worker, desk], sequence) => {
        const message = desk === undefined ? { kind: 'claim', worker } : { kind: 'events', worker, desk };
        return { sequence, message } as unknown as StoredMessage;
      }),
    );
  expect(folders(['home'], ['home', 'A'], ['away'], ['away', 'B'])).toEqual(['A']);
  expect(folders(['away'], ['away', 'A'], ['home'], ['away'], ['away', 'B'])).toEqual(['A', null]);
  expect(folders(['away'], ['away', 'A'], ['home'], ['home', null], ['away'], ['away', 'B'])).toEqual(['A']);
  const twice = [['home'], ['home', 'A'], ['away'], ['away', 'B'], ['home'], ['away']] as const;
  expect(folders(...twice, ['away', 'C'])).toEqual(['B', 'A']);
  expect(folders(...twice, ['away', 'C'], ['home'], ['away'])).toEqual(['C', 'B', 'A']);
  expect(folders(['away'], ['away', 'A'])).toEqual([null]);
  expect(folders(['home'], ['away'], ['away', 'A'])).toEqual([null]);
});

it('of two states, each file counts as it is here; one that is in neither counts as changed since the last', () => {
  const before = [file('count', '1'), file('gone', '1'), file('edited', '1')];
  const restored = [file('count', '2'), file('new', '2'), file('edited', '2')];
  const choose = (...here: FolderFile[]): FolderFile[] =>
    chooseBase([restored, before], (path) => here.find((each) => each.path === path));
  const edited = file('edited', 'mine');
  expect(choose(...before.slice(0, 2), edited)).toEqual([file('count', '1'), file('edited', '2'), file('gone', '1')]);
  expect(choose(...restored.slice(0, 2), edited)).toEqual(restored);
});

it('a file that is in place of a folder is no file of that folder', () => {
  const folder = testFolder('put-on-desk-');
  writeFileSync(join(folder, 'notes'), '');
  expect(describeFile(folder, 'notes')).toMatchObject({ path: 'notes', executable: false });
  expect(describeFile(folder, 'notes/one.md')).toBeUndefined();
  expect(describeFile(folder, 'none')).toBeUndefined();
});
