import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderFindings } from '../../../src/rooms/desk/folder-finding.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';
import { testFolder } from '../../support/test-folders.ts';

describe('the folders that the policy opens', () => {
  it('are reported one by one where no task could have them, with the reason', async () => {
    using folder = temporaryFolder(testFolder); // nothing below /dev can be opened
    const home = homeAt(join(folder.dir, 'home'));
    await oka('init', '--dir', home.dir);
    expect(folderFindings(home)).toEqual([]);
    const open = (...paths: string[]): void => {
      const entries = paths.map((path) => `  - { path: ${path}, access: read }\n`).join('');
      const text = readFileSync(home.policy, 'utf8').replace(
        /^(?:folders:\n(?: {2}- .*\n)*)?rules: \[\]/m,
        `folders:\n${entries}rules: []`,
      );
      writeFileSync(home.policy, text);
    };
    mkdirSync(join(folder.dir, 'fine'));
    writeFileSync(join(folder.dir, 'file'), '');
    open(join(folder.dir, 'fine'));
    expect(folderFindings(home)).toMatchObject([{ state: 'good', what: 'folders' }]);
    open(join(folder.dir, 'fine'), join(folder.dir, 'missing'), join(folder.dir, 'file'), home.oka, '/etc', folder.dir);
    expect(folderFindings(home).map(({ state, found }) => [state, found])).toEqual([
      ['odd', expect.stringContaining('missing is not there')],
      ['odd', expect.stringContaining('file is not a folder')],
      ['odd', expect.stringContaining('rules and records of oka')],
      ['odd', expect.stringContaining('keys and settings of this machine')],
      ['odd', expect.stringContaining('rules and records of oka')],
    ]);
    expect((await oka('doctor', '--dir', home.dir)).out).toMatch(/folders +\S+missing is not there[^]*POLICY\.md/);
  });
});
