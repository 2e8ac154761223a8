import { describe, expect, it } from 'vitest';
import { programTrigger, triggersAmong } from '../../../src/core/schema/program-triggers.ts';

describe('files that make other programs run', () => {
  it.each([
    '.git/hooks/pre-commit',
    'sub/.git/config',
    '.git',
    '.gitmodules',
    'fake/HEAD',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    'a/b/.envrc',
    '.npmrc',
    '.claude/settings.json',
    'CLAUDE.md',
    '.husky/pre-push',
    '.bashrc',
    '.GIT/hooks/pre-commit',
    '/desk/.envrc',
    '.vscode/',
    'x.desktop',
    '.devcontainer.json',
    'my.code-workspace',
    'opencode.json',
    'lefthook.yml',
    '.kiro/hooks/x.json',
    '.latexmkrc',
    '.config/fish/config.fish',
    '.gitattributes',
  ])('%s', (path) => {
    expect(programTrigger(path)).toMatch(/\w/);
  });

  it.each([
    'README.md',
    'git/hooks.md',
    'src/vscode.ts',
    '.gitignore',
    '.github/workflows/ci.yml',
    'envrc',
    'a.git/x',
    '.config/app.json',
    '.editorconfig',
  ])('are not %s', (path) => {
    expect(programTrigger(path)).toBeNull();
  });

  it('what git writes with every commit is not pointed out', () => {
    const paths = ['.git', '.git/HEAD', '.git/index', '.git/objects/aa/bb', '.git/refs/heads/main', 'a.txt'];
    const samples = ['.git/hooks/pre-commit.sample', '.git/logs/HEAD', '.git/COMMIT_EDITMSG', '.git/info/exclude'];
    expect(triggersAmong([...paths, ...samples])).toEqual([]);
    expect(triggersAmong(['.git/config', '.git/hooks/pre-commit']).map(({ path }) => path)).toHaveLength(2);
  });
});
