import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { casesOf } from '../../support/thorough.ts';

const child = join(import.meta.dirname, '../../support/desk-modes-child.ts');
type Printed = { before: unknown; end: unknown; left: unknown[] };

/** Modes stop nobody who is root, so that the child is somebody else. */
const somebody = () => (process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {});

function undoAfter(script: string): Printed {
  const { stdout, stderr } = spawnSync(process.execPath, [child, script], { ...somebody(), encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Printed;
}

const SCRIPTS: [what: string, script: string][] = [
  ['the desk cannot be entered', 'chmod 000 .'],
  ['nothing can be made on the desk', 'chmod 500 .'],
  ['a folder cannot be entered', 'chmod 000 folder'],
  ['a folder cannot be listed', 'chmod 300 folder'],
  [
    'a folder is read-only, and what is in it has changed',
    'echo new > folder/inner.txt; touch folder/more; chmod 500 folder',
  ],
  [
    'a new folder cannot be entered, with a file in it',
    'mkdir -p new/deep; echo x > new/deep/x; chmod 000 new/deep new',
  ],
  ['a file cannot be read', 'chmod 000 file.txt'],
  ['a file has changed and cannot be read', 'echo other > file.txt; chmod 000 file.txt'],
  ['a file has become executable', 'chmod 755 file.txt'],
  ['a file has become a pipe', 'rm file.txt; mkfifo file.txt'],
  ['a folder has become a pipe', 'rm -r folder; mkfifo folder'],
  ['there is a new pipe', 'mkfifo pipe'],
  ['a file is gone from a folder that is read-only now', 'rm folder/inner.txt; chmod 500 folder'],
];

describe('whatever a step does to modes and kinds of files', () => {
  it.each(casesOf(SCRIPTS, (_, index) => index % 3 === 0))(
    '%s: the next step works, and undo restores everything',
    (_, script) => {
      const { before, end, left } = undoAfter(script);
      expect(end).toEqual(before);
      expect(left).toEqual([]);
    },
  );
});

it('a worker opens its own desk again instead of refusing to start', () => {
  const script = `
    import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
    const { assertFolderAccess } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/kit/home/folder-access.ts'))});
    const { homeAt } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/kit/settings.ts'))});
    const dir = mkdtempSync('/tmp/oka-modes-');
    mkdirSync(dir + '/workspace/desk', { recursive: true });
    chmodSync(dir + '/workspace/desk', 0o500);
    assertFolderAccess(homeAt(dir));
    process.stdout.write((statSync(dir + '/workspace/desk').mode & 0o777).toString(8));
    rmSync(dir, { recursive: true });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    ...somebody(),
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['700', '']);
});
