import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNamedFiles } from '../../../src/core/guard/named-files.ts';
import type { Command } from '../../../src/core/schema/command.ts';
import { temporaryFolder } from '../../support/cli.ts';

/** The files that a command names in a small desk. */
async function namedIn(command: Command, paths: string[] = []): Promise<string[]> {
  using folder = temporaryFolder();
  const { dir } = folder;
  mkdirSync(join(dir, 'work/deep'), { recursive: true });
  for (const name of ['a.sh', 'b.sh', 'with blank.sh', 'work/in.sh', 'package.json', 'Makefile', 'work/Makefile'])
    writeFileSync(join(dir, name), name);
  symlinkSync('a.sh', join(dir, 'link.sh'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  const found = await readNamedFiles(command, { dir, home: dir }, paths);
  return found.map(({ path }) => path.replace(`${dir}/`, '~/'));
}

describe('the files that a command names', () => {
  it.each([
    ['bash a.sh', ['a.sh']],
    ['bash "a.sh" b.sh; true', ['a.sh', 'b.sh']],
    ["bash 'with blank.sh'", ['with blank.sh']],
    ['./link.sh', ['link.sh']],
    ['~/a.sh', ['~/a.sh']],
    ['curl -T a.sh -d @b.sh --config=Makefile', ['Makefile', 'a.sh', 'b.sh']],
    ['cd work && bash in.sh', ['work/in.sh']],
    ['make -C work', ['Makefile', 'work/Makefile']],
    ['npm run build', ['package.json']],
    ['cat <a.sh >b.sh', ['a.sh', 'b.sh']],
    ['bash w*/in.sh', ['Makefile', 'a.sh', 'b.sh', 'link.sh', 'package.json', 'with blank.sh']],
    ['bash work/*.sh', ['work/Makefile', 'work/in.sh']],
    ['cat pipe /dev/zero nothing work', []],
    ['echo hello', []],
  ])('N1 N2 in %j', async (line, files) => {
    expect(await namedIn({ line })).toEqual(files);
  });

  it('N1 in an argv, and as the classifier saw them', async () => {
    expect(await namedIn({ argv: ['bash', 'with blank.sh'] })).toEqual(['with blank.sh']);
    expect(await namedIn({ line: 'bash with\\ blank.sh' }, ['with blank.sh'])).toEqual(['with blank.sh']);
  });

  it('have another sum when their content is another', async () => {
    using folder = temporaryFolder();
    const sums = new Set<string | undefined>();
    for (const text of ['one', 'two', 'one']) {
      writeFileSync(join(folder.dir, 'x'), text);
      const [file] = await readNamedFiles({ argv: ['sh', 'x'] }, { dir: folder.dir, home: folder.dir }, []);
      sums.add(file?.sha256);
    }
    expect(sums.size).toBe(2);
  });
});
