/** `npm run release -- --dry-run` in a clone: it says what would be published, names what is missing, and changes nothing. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { testFolder } from '../support/test-folders.ts';

const TOP = join(import.meta.dirname, '../..');

it('a dry run of a release shows the package, its papers and what is missing; it tags and publishes nothing', () => {
  using folder = temporaryFolder(testFolder);
  const clone = join(folder.dir, 'oka');
  const run = (cwd: string, program: string, ...words: string[]): { code: number | null; out: string } => {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd, encoding: 'utf8' });
    return { code: status, out: stdout + stderr };
  };
  expect(run(folder.dir, 'git', 'clone', '--quiet', TOP, clone).code).toBe(0);
  symlinkSync(join(TOP, 'node_modules'), join(clone, 'node_modules'));
  expect(run(clone, 'npm', 'run', '-s', 'release', '--', '--skip-tests').out).toContain('Only a dry run may skip');

  appendFileSync(join(clone, 'README.md'), 'not committed\n');
  expect(run(clone, 'npm', 'run', '-s', 'release').out).toMatch(/✗ The work tree has changes[^]*Nothing was released/);

  const { code, out } = run(clone, 'npm', 'run', '-s', 'release', '--', '--dry-run', '--skip-tests');
  expect(code, out).toBe(1); // of the change above
  expect(out).toMatch(/npm audit/); // what it found, or that the registry does not say
  for (const paper of ['.tgz', '.sbom.json', '.licences.txt', '.provenance.json'])
    expect(out).toMatch(new RegExp(`oka-\\d+\\.\\d+\\.\\d+\\${paper} +\\d+\\.\\d+ MB`));
  expect(out).toMatch(/Nothing was tagged or published. A release would now run:\n {2}git tag v\d/);
  expect(run(clone, 'git', 'tag').out).toBe('');
}, 600_000);
