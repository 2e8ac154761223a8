import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SealedTexts, sealedTexts } from '../../../src/kit/vault/sealed-texts.ts';
import { temporaryFolder } from '../../support/cli.ts';

const redact = (text: string): string => text.replaceAll(/hunter\d/g, '[redacted:A]');
const keyOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const opened = (folder: string, key: Buffer | null = keyOf('right')): SealedTexts =>
  sealedTexts({ folder, redact, key: async () => key });

describe('originals of masked texts', () => {
  it('are found by run and masked text, in the same process and in the next one', async () => {
    using folder = temporaryFolder();
    const first = opened(folder.dir);
    await first.seal('r', [{ text: 'echo hunter2' }, { text: 'plain' }]);
    for (const texts of [first, opened(folder.dir)]) {
      expect(await texts.unseal('r', 'echo [redacted:A]')).toBe('echo hunter2');
      expect(await texts.unseal('other', 'echo [redacted:A]')).toBeNull();
      expect(await texts.unseal('r', '[redacted:A]')).toBeNull();
    }
  });

  it('S2 two with the same masked text are told apart by their node, or are none', async () => {
    using folder = temporaryFolder();
    const texts = opened(folder.dir);
    await texts.seal('r', [
      { text: 'hunter1', node: 'a' },
      { text: 'hunter2', node: 'b' },
    ]);
    expect(await texts.unseal('r', '[redacted:A]', 'a')).toBe('hunter1');
    expect(await texts.unseal('r', '[redacted:A]', 'b')).toBe('hunter2');
    expect(await texts.unseal('r', '[redacted:A]')).toBeNull();
    await texts.seal('r', [{ text: 'hunter1' }, { text: 'hunter1' }]);
    expect(await texts.unseal('r', '[redacted:A]')).toBe('hunter1');
    await texts.seal('r', [{ text: 'hunter2' }]);
    await texts.seal('r', [{ text: 'hunter2' }]);
    expect(await texts.unseal('r', '[redacted:A]')).toBeNull();
  });

  it('S3 a mark that somebody wrote has none', async () => {
    using folder = temporaryFolder();
    const texts = opened(folder.dir);
    await texts.seal('r', [{ text: 'echo [redacted:A]' }]);
    expect(await texts.unseal('r', 'echo [redacted:A]')).toBeNull();
  });

  it('S4 are stored encrypted, for this user alone, and not at all without a key', async () => {
    using folder = temporaryFolder();
    await opened(folder.dir, null).seal('r', [{ text: 'hunter2' }]);
    expect(readdirSync(folder.dir)).toEqual([]);
    await opened(folder.dir).seal('r', [{ text: 'hunter2' }]);
    const file = join(folder.dir, 'r.sealed');
    expect(readFileSync(file, 'latin1')).not.toContain('hunter');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('a file of another key, of another run, or a damaged one gives nothing', async () => {
    using folder = temporaryFolder();
    await opened(folder.dir).seal('r', [{ text: 'hunter2' }]);
    const bytes = readFileSync(join(folder.dir, 'r.sealed'));
    expect(await opened(folder.dir, keyOf('wrong')).unseal('r', '[redacted:A]')).toBeNull();
    writeFileSync(join(folder.dir, 'other.sealed'), bytes);
    expect(await opened(folder.dir).unseal('other', '[redacted:A]')).toBeNull();
    writeFileSync(join(folder.dir, 'r.sealed'), bytes.subarray(0, 20));
    expect(await opened(folder.dir).unseal('r', '[redacted:A]')).toBeNull();
  });

  it('are removed with their run, or after a month', async () => {
    using folder = temporaryFolder();
    const texts = opened(folder.dir);
    for (const run of ['r', 'old', 'new']) await texts.seal(run, [{ text: 'hunter2' }]);
    texts.forget('r');
    expect(await texts.unseal('r', '[redacted:A]')).toBeNull();
    utimesSync(join(folder.dir, 'old.sealed'), 0, 0);
    texts.sweep(Date.now());
    expect(readdirSync(folder.dir)).toEqual(['new.sealed']);
  });
});
