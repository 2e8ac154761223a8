import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { secretsIn } from '../../../src/rooms/task/secrets-in.ts';
import { redactShapes } from '../../../src/core/guard/redact.ts';
import { testFolder } from '../../support/test-folders.ts';

const desk = testFolder('oka-secrets-in-');
const token = `ghp_${'a'.repeat(36)}`;
const put = (name: string, text: string): string => (writeFileSync(join(desk, name), text), name);

describe('secretsIn', () => {
  it('names the file and the kind, never the secret', () => {
    const found = secretsIn(desk, [put('notes.md', `use ${token}`), put('fine.md', 'nothing')], redactShapes);
    expect(found).toEqual([{ where: 'notes.md', kind: 'github-token' }]);
  });

  it('finds one in the name of a file, and does not repeat it', () => {
    const found = secretsIn(desk, [put(`key-${token}.txt`, 'nothing')], redactShapes);
    expect(found).toEqual([{ where: 'key-[redacted:github-token].txt', kind: 'github-token' }]);
  });

  it('a mark that stood there before is no secret', () => {
    expect(secretsIn(desk, [put('old.md', '[redacted:github-token]')], redactShapes)).toEqual([]);
  });

  it('passes over what is gone, a link, a pipe or a folder', () => {
    symlinkSync(join(desk, put('target.md', token)), join(desk, 'link.md'));
    execFileSync('mkfifo', [join(desk, 'pipe')]);
    expect(secretsIn(desk, ['gone.md', 'link.md', 'pipe', '.'], redactShapes)).toEqual([]);
  });
});
