import { expect, it } from 'vitest';
import { changedFiles, lastFolderAt } from '../../../src/daemon/fleet/put-on-desk.ts';
import type { StoredMessage } from '../../../src/fleet/run-owner.ts';
import type { FolderFile } from '../../../src/daemon/fleet/run-folder.ts';

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

it('the base of a home is what it last recorded, or restored when it took the run over', () => {
  const folderAt = (...said: readonly [worker: string, desk?: string][]): string | null =>
    lastFolderAt(
      'home',
      said.map(([worker, desk], sequence) => {
        const message = desk === undefined ? { kind: 'claim', worker } : { kind: 'events', worker, desk };
        return { sequence, message } as unknown as StoredMessage;
      }),
    );
  expect(folderAt(['home'], ['home', 'A'], ['away'], ['away', 'B'])).toBe('A');
  expect(folderAt(['away'], ['away', 'A'], ['home'], ['away'], ['away', 'B'])).toBe('A');
  expect(folderAt(['home'], ['home', 'A'], ['away'], ['away', 'B'], ['home'], ['away'], ['away', 'C'])).toBe('B');
  expect(folderAt(['away'], ['away', 'A'])).toBeNull();
  expect(folderAt(['home'], ['away'], ['away', 'A'])).toBeNull();
});
