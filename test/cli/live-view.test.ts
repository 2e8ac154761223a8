import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { terminalOf } from '../../src/cli/io.ts';
import { liveLines } from '../../src/cli/live-view.ts';
import { homeAt } from '../../src/daemon/settings.ts';

it('files that were not accepted are shown on the live console until they are moved back or removed', () => {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-live-')));
  const folder = join(home.workspace, 'inbox', 'rejected');
  const plain = terminalOf({ isTerminal: false, hasColours: false, width: 100 });
  mkdirSync(folder, { recursive: true });
  expect(liveLines(home, plain)).toEqual([]);
  for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) {
    writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, `${name}.reason.md`), '# x\n\nwhy\n');
  }
  expect(liveLines(home, plain)).toEqual([
    '  ! not accepted, see workspace/inbox/rejected: a.md, b.md, c.md and 1 more',
  ]);
  rmSync(home.dir, { recursive: true });
});
