import { expect, it } from 'vitest';
import { changedFiles } from '../../../src/daemon/fleet/put-on-desk.ts';
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
