import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { provideSecrets } from '../../../../src/rooms/desk/tools/command-secrets.ts';
import { shellTool } from '../../../../src/rooms/desk/tools/shell.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { errorOf, ground, use } from './support.ts';

const env = { PATH: process.env['PATH'] ?? '' };

describe('a value for a command', () => {
  it('O1 lies in a file that only this user can read, and is gone afterwards', async () => {
    using folder = temporaryFolder();
    let file = '';
    {
      await using handed = await provideSecrets({ KEY: 'sesame-open-42' }, folder.dir);
      file = handed.env['KEY'] ?? '';
      expect(readFileSync(file, 'utf8')).toBe('sesame-open-42');
      expect(statSync(file).mode & 0o777).toBe(0o400);
      expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    }
    expect(existsSync(dirname(file))).toBe(false);
  });

  it('O2 what a dead process left is removed by the next', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.dir, 'oka-secret-999999999-abc'));
    mkdirSync(join(folder.dir, 'oka-secret-1-abc'));
    await using handed = await provideSecrets({ KEY: 'sesame-open-42' }, folder.dir);
    expect(readdirSync(folder.dir).toSorted()).toEqual(
      ['oka-secret-1-abc', handed.folder?.split('/').at(-1) ?? ''].toSorted(),
    );
  });

  it('without any, nothing is made', async () => {
    const before = mkdtempSync(join(tmpdir(), 'oka-test-'));
    expect(await provideSecrets({}, before)).toMatchObject({ env: {}, folder: null });
    expect(readdirSync(before)).toEqual([]);
  });
});

describe('the shell', () => {
  it('hands a file over by its path, and the value itself only where asked', async () => {
    const { desk } = ground();
    const tool = shellTool({ desk, env });
    const line =
      'cat "$KEY"; echo; echo "$TOKEN"; stat -c %a "$KEY"; tr "\\0" " " </proc/$$/cmdline; env | grep -c sesame';
    const outcome = await use(tool, {
      line,
      secrets: { KEY: 'sesame-open-42', TOKEN: { from: 'other-value', as: 'env' } },
    });
    expect(outcome).toMatchObject({ status: 'failed' });
    expect(errorOf(outcome)).toContain('sesame-open-42\nother-value\n400\n');
    expect(errorOf(outcome)).toMatch(/ 0$/);
  });

  it.each(['PATH', 'LD_PRELOAD', 'BASH_ENV', 'GIT_SSH_COMMAND', 'NODE_OPTIONS', 'PYTHONSTARTUP', 'lower', 'A B'])(
    'does not take %s for one: it makes programs load code, or is no name',
    async (name) => {
      const { desk } = ground();
      const outcome = await use(shellTool({ desk, env }), { line: 'true', secrets: { [name]: 'sesame-open-42' } });
      expect(outcome.status).toBe('failed');
    },
  );

  it.each(['NPM_TOKEN', 'GITHUB_TOKEN', 'SSH_KEY', 'DB_PASSWORD'])('takes %s', async (name) => {
    const { desk } = ground();
    expect(await use(shellTool({ desk, env }), { line: 'true', secrets: { [name]: 'sesame-open-42' } })).toMatchObject({
      status: 'ok',
    });
  });
});
