import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/core/guard/classify/classify-command.ts';
import { readRemotes } from '../../../src/core/guard/git-remotes.ts';
import { temporaryFolder } from '../../support/cli.ts';

function repository(folder: string, ...remotes: [name: string, ...urls: string[]][]): void {
  mkdirSync(join(folder, '.git'), { recursive: true });
  const config = remotes.map(
    ([name, ...urls]) => `[remote "${name}"]\n${urls.map((url) => `\turl = ${url}\n`).join('')}`,
  );
  writeFileSync(join(folder, '.git', 'config'), `[core]\n\tbare = false\n${config.join('')}`);
}

describe('the remotes of a repository', () => {
  it('are found from a folder inside it, with relative paths made absolute, and not beyond the roots', () => {
    using folder = temporaryFolder();
    const desk = join(folder.dir, 'desk');
    repository(join(desk, 'notes'), ['origin', '../notes.git'], ['far', 'https://example.org/a.git']);
    repository(folder.dir, ['origin', '/elsewhere.git']);
    mkdirSync(join(desk, 'notes/sub'));
    expect(readRemotes(join(desk, 'notes/sub'), [desk])).toEqual([
      { name: 'origin', url: join(desk, 'notes.git') },
      { name: 'far', url: 'https://example.org/a.git' },
    ]);
    expect(readRemotes(desk, [desk])).toEqual([]);
  });
});

describe('git push to a remote', () => {
  const folders = [
    { path: '/mine/Backup', access: 'write' },
    { path: '/mine/Photos', access: 'read' },
  ] as const;
  const remotesOf: Record<string, [string, string][]> = {
    '/home/oka/desk': [['origin', 'https://example.org/a.git']],
    '/home/oka/desk/notes': [
      ['origin', '/mine/Backup/notes.git'],
      ['readable', '/mine/Photos/p.git'],
      ['outside', '/srv/x.git'],
      ['mixed', '/mine/Backup/notes.git'],
      ['mixed', 'https://example.org/a.git'],
    ],
  };
  const judge = (line: string): { class: string; net: boolean } =>
    classify(
      { line },
      {
        desk: '/home/oka/desk',
        toolFolder: '/home/oka/.oka/tools',
        folders,
        resolve: (program) => `/usr/bin/${program}`,
        remotes: (folder) => (remotesOf[folder] ?? []).map(([name, url]) => ({ name, url })),
      },
    );

  it.each([
    'cd notes; git push origin',
    'cd notes && git push -u origin main',
    'cd notes\ngit push',
    'git -C notes push origin',
    '(cd notes && git push -q origin main)',
    'cd notes; git pull origin main',
    'cd notes; git fetch readable',
  ])('in a folder of the task needs no approval and gets no network: %s', (line) => {
    expect(judge(line)).toMatchObject({ class: 'write_local', net: false });
  });

  it.each([
    'git push origin',
    'cd notes; cd ..; git push origin',
    '(cd notes); git push origin',
    'cd notes; git push readable',
    'cd notes; git push outside',
    'cd notes; git push mixed',
    'cd notes; git push nobody',
    'cd notes; git push "$REMOTE"',
    'cd "$PLACE"; git push origin',
  ])('anywhere else does: %s', (line) => {
    expect(judge(line).class).not.toBe('write_local');
  });
});
