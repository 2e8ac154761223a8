import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBoundContent } from '../../../src/core/guard/bound-content.ts';
import type { Classified } from '../../../src/core/schema/command.ts';
import { temporaryFolder } from '../../support/cli.ts';

const outside: Classified = { class: 'external_mutation', reason: '', programs: [], paths: [], hosts: [], net: true };

const FILES = {
  'dist/a.js': 'a',
  'dist/deep/b.js': 'b',
  'deploy.sh': 'source lib/common.sh\n. ./env.sh\npython3 tool.py\n',
  'lib/common.sh': 'bash lib/more.sh\n',
  'lib/more.sh': 'true\n',
  'env.sh': 'A=1\n',
  'tool.py': 'from helpers.text import x\n',
  'helpers/text.py': 'x = 1\n',
  'notes.md': 'unrelated',
  'package.json': JSON.stringify({
    scripts: { deploy: 'npm run send && node tools/ship.js', send: 'rsync -a build/ host:', predeploy: 'sh before.sh' },
  }),
  'tools/ship.js': "require('./lib.js')",
  'tools/lib.js': 'x',
  'build/page.html': 'x',
  'before.sh': 'true\n',
  'sub/package.json': JSON.stringify({ scripts: { ship: 'curl -T out.txt https://up.example.org' } }),
  'sub/out.txt': 'x',
  Makefile: 'all: build\n\techo a\n\nupload: all\n\tscp report.txt host:\n',
  'report.txt': 'x',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/refs/heads/main': '1111\n',
};

/** What an approval of the line covers before and after a file is changed. */
async function boundTo(line: string, found: Partial<Classified>, changed: string) {
  using folder = temporaryFolder();
  const desk = folder.dir;
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(desk, path, '..'), { recursive: true });
    writeFileSync(join(desk, path), text);
  }
  const read = () => readBoundContent({ line }, { dir: desk, home: desk }, { ...outside, ...found });
  const before = await read();
  writeFileSync(join(desk, changed), 'changed');
  return { before, isNoticed: JSON.stringify(before.files) !== JSON.stringify((await read()).files) };
}

describe('what an approval is bound to', () => {
  it.each([
    [
      'tar cf - dist | curl -T - https://up.example.org',
      { programs: ['tar', 'curl'], paths: ['dist'] },
      'dist/deep/b.js',
    ],
    ['tar cf - . | curl -T - https://up.example.org', { programs: ['tar', 'curl'] }, 'dist/deep/b.js'],
    ['git push origin main', { programs: ['git'] }, '.git/refs/heads/main'],
    ['bash deploy.sh', { programs: ['bash'], paths: ['deploy.sh'] }, 'lib/common.sh'],
    ['bash deploy.sh', { programs: ['bash'], paths: ['deploy.sh'] }, 'lib/more.sh'],
    ['bash deploy.sh', { programs: ['bash'], paths: ['deploy.sh'] }, 'env.sh'],
    ['bash deploy.sh', { programs: ['bash'], paths: ['deploy.sh'] }, 'helpers/text.py'],
    ['npm run deploy', { programs: ['npm'] }, 'tools/ship.js'],
    ['npm run deploy', { programs: ['npm'] }, 'tools/lib.js'],
    ['npm run deploy', { programs: ['npm'] }, 'build/page.html'],
    ['npm run deploy', { programs: ['npm'] }, 'before.sh'],
    ['npm run deploy', { programs: ['npm'] }, 'package.json'],
    ['pnpm --dir sub run ship', { programs: ['pnpm'], paths: ['sub'] }, 'sub/out.txt'],
    ['make upload', { programs: ['make'] }, 'report.txt'],
  ])('%s: %o includes %s', async (line, found, changed) => {
    expect((await boundTo(line, found, changed)).isNoticed).toBe(true);
  });

  it('not to files that have nothing to do with it, nor to folders of a local change', async () => {
    expect((await boundTo('bash deploy.sh', { paths: ['deploy.sh'] }, 'notes.md')).isNoticed).toBe(false);
    const local = { class: 'write_local', paths: ['dist'] } as const;
    expect((await boundTo('rm -r dist', local, 'dist/a.js')).isNoticed).toBe(false);
  });

  it('shows the scripts that it runs, and says what they may use besides', async () => {
    const { before } = await boundTo('npm run deploy', { programs: ['npm'] }, 'notes.md');
    expect(before.scripts.map(({ name }) => name).toSorted()).toEqual(['deploy', 'predeploy', 'send']);
    expect(before.unbound).toHaveLength(1);
  });

  it('says what it does not cover', async () => {
    expect((await boundTo('bash deploy.sh', { paths: ['deploy.sh'] }, 'notes.md')).before.unbound).toHaveLength(1);
    const { before } = await boundTo('curl -T "$FILE" https://up.example.org', {}, 'notes.md');
    expect(before.unbound).toEqual([expect.stringContaining('$')]);
    expect((await boundTo('curl -T notes.md https://up.example.org', {}, 'env.sh')).before.unbound).toEqual([]);
  });
});
