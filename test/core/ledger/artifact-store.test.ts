import { hash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactShapes } from '../../../src/core/guard/redact.ts';
import { openArtifacts } from '../../../src/core/ledger/artifact-store.ts';
import { ArtifactRef } from '../../../src/core/schema/tool.ts';
import { freshFolder } from '../../support/ledger-samples.ts';

const fakeToken = 'ghp_' + 'a'.repeat(36);
const pathOf = (folder: string, sha256: string): string => join(folder, sha256.slice(0, 2), sha256.slice(2));
const openFresh = () => {
  const folder = join(freshFolder(), 'artifacts');
  return { folder, artifacts: openArtifacts(folder, redactShapes) };
};

describe('put and get', () => {
  it('gives back what was put, text and bytes alike', async () => {
    const { artifacts } = openFresh();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.uint8Array({ maxLength: 2000 })), async (body) => {
        const ref = await artifacts.put(body);
        expect(await artifacts.get(ref)).toEqual(Buffer.from(body));
      }),
      { numRuns: 50 },
    );
  });

  it('gives a pointer that says what it points to', async () => {
    const { artifacts } = openFresh();
    const plain = await artifacts.put('grün');
    expect(plain).toEqual({ sha256: hash('sha256', 'grün'), bytes: 5, media: 'text/plain' });
    const named = await artifacts.put('<p>', { media: 'text/html', name: 'page.html' });
    expect(named).toMatchObject({ media: 'text/html', name: 'page.html' });
    expect(ArtifactRef.parse(named)).toEqual(named);
  });

  it('takes a view into a larger buffer for its own bytes alone', async () => {
    const { artifacts } = openFresh();
    const ref = await artifacts.put(new Uint8Array(Buffer.from('xxabcxx')).subarray(2, 5));
    expect((await artifacts.get(ref)).toString()).toBe('abc');
  });

  it('stores an empty body', async () => {
    const { artifacts } = openFresh();
    expect(await artifacts.get(await artifacts.put(''))).toHaveLength(0);
  });

  it('A1 keeps the same content in one file, whatever it is called', async () => {
    const { folder, artifacts } = openFresh();
    const first = await artifacts.put('same', { name: 'a' });
    const before = statSync(pathOf(folder, first.sha256));
    const second = await artifacts.put(Buffer.from('same'), { name: 'b' });
    expect(second.sha256).toBe(first.sha256);
    expect(filesIn(folder)).toEqual([pathOf(folder, first.sha256)]);
    expect(statSync(pathOf(folder, first.sha256)).ino).toBe(before.ino);
  });

  it('A1 leaves a file that nobody may write, and nothing temporary', async () => {
    const { folder, artifacts } = openFresh();
    const ref = await artifacts.put('body');
    expect(statSync(pathOf(folder, ref.sha256)).mode & 0o777).toBe(0o444);
    expect(filesIn(folder)).toHaveLength(1);
  });

  it('A1 replaces a file that was only half there', async () => {
    const { folder, artifacts } = openFresh();
    const file = pathOf(folder, hash('sha256', 'body'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'bo');
    const ref = await artifacts.put('body');
    expect((await artifacts.get(ref)).toString()).toBe('body');
  });
});

describe('A2 what is read is verified', () => {
  it.each(['BODY', 'bod', 'body and more', ''])('a file that now holds %j is damaged', async (content) => {
    const { folder, artifacts } = openFresh();
    const ref = await artifacts.put('body');
    chmodSync(pathOf(folder, ref.sha256), 0o644);
    writeFileSync(pathOf(folder, ref.sha256), content);
    await expect(artifacts.get(ref)).rejects.toMatchObject({ name: 'OkaError', code: 'artifact-damaged' });
  });

  it('a file that is gone is missing', async () => {
    const { folder, artifacts } = openFresh();
    const ref = await artifacts.put('body');
    rmSync(pathOf(folder, ref.sha256));
    await expect(artifacts.get(ref)).rejects.toMatchObject({ code: 'artifact-missing', fix: expect.any(String) });
    await expect(artifacts.get({ sha256: 'a'.repeat(64) })).rejects.toMatchObject({ code: 'artifact-missing' });
  });

  it('a symbolic link is refused, even to the right content', async () => {
    const { folder, artifacts } = openFresh();
    const ref = await artifacts.put('body');
    const elsewhere = join(freshFolder(), 'elsewhere');
    writeFileSync(elsewhere, 'body');
    rmSync(pathOf(folder, ref.sha256));
    symlinkSync(elsewhere, pathOf(folder, ref.sha256));
    await expect(artifacts.get(ref)).rejects.toMatchObject({ code: 'unsafe-file' });
  });

  it('putting again replaces a symbolic link and leaves its target alone', async () => {
    const { folder, artifacts } = openFresh();
    const file = pathOf(folder, hash('sha256', 'body'));
    const target = join(freshFolder(), 'target');
    writeFileSync(target, 'else');
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync(target, file);
    const ref = await artifacts.put('body');
    expect((await artifacts.get(ref)).toString()).toBe('body');
    expect(readFileSync(target, 'utf8')).toBe('else');
  });

  it.each(['', 'short', '../'.repeat(21) + 'x', 'A'.repeat(64), `${'a'.repeat(64)}\n`, 'a'.repeat(65)])(
    '%j is no hash and leads to no file',
    async (sha256) => {
      const { artifacts } = openFresh();
      await expect(artifacts.get({ sha256 })).rejects.toMatchObject({
        code: 'artifact-missing',
        message: expect.stringContaining("is not an artifact's hash"),
      });
    },
  );
});

describe('A3 secrets are taken out before the hash', () => {
  it('of text', async () => {
    const { artifacts } = openFresh();
    const ref = await artifacts.put(`grün ${fakeToken} end`);
    const stored = 'grün [redacted:github-token] end';
    expect(ref).toMatchObject({ sha256: hash('sha256', stored), bytes: Buffer.byteLength(stored) });
    expect((await artifacts.get(ref)).toString()).toBe(stored);
  });

  it('A4 quarantines a binary file with a secret in it, and says which', async () => {
    const { artifacts } = openFresh();
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const ref = await artifacts.put(Buffer.concat([every, Buffer.from(` ${fakeToken} `), every]));
    const stored = Buffer.from('This file was not stored: it contains [redacted:github-token].\n');
    expect(await artifacts.get(ref)).toEqual(stored);
    expect(ref.sha256).toBe(hash('sha256', stored));
  });

  it('of text and of the same bytes alike', async () => {
    const { folder, artifacts } = openFresh();
    const text = await artifacts.put(`ü ${fakeToken}`);
    const bytes = await artifacts.put(Buffer.from(`ü ${fakeToken}`));
    expect(bytes).toEqual(text);
    expect(filesIn(folder)).toHaveLength(1);
  });

  it('so that no file holds the secret', async () => {
    const { folder, artifacts } = openFresh();
    await artifacts.put(fakeToken);
    await artifacts.put(Buffer.from(`\0${fakeToken}\0`));
    for (const file of filesIn(folder)) expect(readFileSync(file, 'latin1')).not.toContain(fakeToken);
  });
});

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}
