import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { toShownPath } from '../../../src/kit/desk/open-folder.ts';
import { type Files, TestDesk } from '../../support/desk.ts';

const GIT = {
  PATH: process.env['PATH'],
  HOME: '/nowhere',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

/** Paths of triggers that an act leaves on the desk. */
async function triggersOf(files: Files, act: (desk: TestDesk) => void): Promise<string[]> {
  using desk = new TestDesk(files);
  const { tree: before } = await desk.shadow.snapshot('before');
  act(desk);
  const { tree: after } = await desk.shadow.snapshot('after');
  return desk.shadow.triggers({ before, after }).map(({ path }) => toShownPath(path));
}

const sh =
  (line: string) =>
  ({ dir }: TestDesk): void =>
    void execFileSync('bash', ['-ec', line], { cwd: dir, env: GIT, stdio: 'pipe' });

describe('files that make other programs run', () => {
  it.each([
    'git init -q r',
    'git init -q --bare r.git',
    'git init -q r && cd r && echo a > a && git add . && git commit -qm a && git checkout -qb next && git tag v1 && git gc -q',
    'git init -q r && cd r && git commit -qm a --allow-empty && git worktree add -q ../w && git branch x && git stash list',
    'git init -q r && (cd r && git commit -qm a --allow-empty) && git clone -q r c && cd c && git pull -q && git merge -q HEAD',
    'git init -q r && (cd r && git commit -qm a --allow-empty) && git clone -q --bare r c.git && git clone -q --mirror r m.git',
    'git init -q r && cd r && git config user.name Ada && git remote add origin https://example.org/a.git',
    'git init -q s && (cd s && git commit -qm a --allow-empty) && git init -q r && cd r && git -c protocol.file.allow=always submodule -q add ../s s',
    'mkdir -p node_modules/x/.vscode && echo {} > node_modules/x/.vscode/settings.json && echo x > node_modules/x/AGENTS.md',
    'mkdir -p .venv/lib/python3/site-packages && echo import x > .venv/lib/python3/site-packages/x.pth',
    'mkdir src && echo x > src/HEAD && echo x > src/config.txt',
  ])('there is none after: %s', async (line) => {
    expect(await triggersOf({}, sh(line))).toEqual([]);
  });

  it.each([
    ['git init -q r && echo x > r/.git/hooks/pre-commit', 'r/.git/hooks/pre-commit'],
    ['git init -q r && cd r && git config core.hooksPath evil', 'r/.git/config'],
    ['git init -q r && git -C r config core.fsmonitor ./x', 'r/.git/config'],
    ['git init -q --bare b && git -C b config core.fsmonitor ./x', 'b/config'],
    ['git init -q --bare b && echo x > b/hooks/post-update', 'b/hooks/post-update'],
    ['git init -q --bare . && git config core.fsmonitor ./x', 'config'],
    ['git init -q r && rm -r r/.git/hooks && mkdir h && ln -s ../../h r/.git/hooks', 'r/.git/hooks'],
    [
      'git init -q r && cd r/.git && rm config && echo "[core] fsmonitor = x" > ../c && ln -s ../c config',
      'r/.git/config',
    ],
    ['mkdir .git && echo "[core] fsmonitor = x" > .git/config', '.git/config'],
    ['mkdir .vscode && echo {} > .vscode/tasks.json', '.vscode/tasks.json'],
    ['mkdir e && ln -s e .vscode', '.vscode'],
    ['echo x > .envrc', '.envrc'],
    ['echo x > HEAD && mkdir .claude && echo {} > .claude/settings.json', '.claude/settings.json'],
  ])('found after: %s', async (line, path) => {
    expect(await triggersOf({}, sh(line))).toContain(path);
  });

  it('a folder that becomes a repository is judged by the settings that were there before', async () => {
    const files: Files = { 'r/config': '[core]\n\tfsmonitor = ./x\n', 'r/objects': null };
    const made = await triggersOf(files, (desk) => desk.put({ 'r/HEAD': 'ref: refs/heads/main\n', 'r/refs': null }));
    expect(made).toEqual(['r/HEAD']);
  });

  it('a setting that was there already is no news, another one is', async () => {
    const config = '[core]\n\thooksPath = .husky\n';
    const files: Files = { '.git/config': config };
    expect(
      await triggersOf(files, (desk) => desk.put({ '.git/config': `${config}[branch "a"]\n\tremote = o\n` })),
    ).toEqual([]);
    expect(await triggersOf(files, (desk) => desk.put({ '.git/config': `${config}[core]\n\tpager = x\n` }))).toEqual([
      '.git/config',
    ]);
  });

  it('a file that is moved or copied is no news, a changed copy is, and one that is gone is not', async () => {
    const files: Files = { 'a/.vscode/tasks.json': '{}\n', 'a/.npmrc': 'x=y\n' };
    expect(await triggersOf(files, sh('mv a b && cp -r b c'))).toEqual([]);
    expect(await triggersOf(files, sh('rm a/.npmrc'))).toEqual([]);
    expect(await triggersOf(files, sh('cp -r a b && echo z=y >> b/.npmrc'))).toEqual(['b/.npmrc']);
  });

  it.each([
    ['echo x > .newtool', '.newtool'],
    ['mkdir -p p/.newtool && echo x > p/.newtool/run.json', 'p/.newtool/run.json'],
    ['mkdir h && ln -s h .newtool', '.newtool'],
    ['echo x > toolrc', 'toolrc'],
    ['echo x > sync.config.js', 'sync.config.js'],
    ['mkdir p && echo {} > p/package.json && echo x > p/hook.config.mjs', 'p/hook.config.mjs'],
  ])('a new name that nobody knows is found after: %s', async (line, path) => {
    expect(await triggersOf({}, sh(line))).toEqual([path]);
  });

  it.each([
    'echo x > .gitignore && echo x > .editorconfig && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml',
    'mkdir -p .cache/.tool .npm/_cacache && echo x > .cache/.tool/x && echo x > .npm/_cacache/x && echo x > .env.example',
    'echo {} > package.json && echo x > vite.config.ts && echo x > eslint.config.js && echo x > .prettierrc && echo 24 > .nvmrc',
    'mkdir src && echo x > src/database.config.ts && echo x > src/marc && echo x > .report.txt.swp',
  ])('everyday names are none: %s', async (line) => {
    expect(await triggersOf({}, sh(line))).toEqual([]);
  });

  it('a hidden folder that was there already is no news, nor is one that is moved', async () => {
    const files: Files = { '.newtool/a.json': '{}\n', 'p/.other/b': 'x' };
    expect(await triggersOf(files, (desk) => desk.put({ '.newtool/c.json': '{}\n', '.newtool/a.json': 'y' }))).toEqual(
      [],
    );
    expect(await triggersOf(files, sh('mv p q'))).toEqual([]);
  });

  it('a hook that may be run from now on is found, although its content is the same', async () => {
    const files: Files = { '.git/hooks/pre-commit': { text: 'x', mode: 0o644 } };
    expect(await triggersOf(files, sh('chmod +x .git/hooks/pre-commit'))).toEqual(['.git/hooks/pre-commit']);
  });
});
