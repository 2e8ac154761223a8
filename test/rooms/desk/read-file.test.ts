import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { oka } from '../../support/cli.ts';
import { makeDocx } from '../../support/documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'oka-read-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('oka read', () => {
  it('prints the text of a document without a home', async () => {
    const path = file('a.docx', makeDocx(['Hello', 'World']));
    expect(await oka('read', path, '--dir', join(folder, 'nowhere'))).toMatchObject({
      code: 0,
      out: 'Hello\n\nWorld\n',
    });
    const { out } = await oka('read', path, '--json');
    expect(JSON.parse(out)).toEqual({ file: path, format: 'docx', text: 'Hello\n\nWorld' });
  });

  it('prints plain text, with what would steer the terminal made harmless', async () => {
    expect((await oka('read', file('a.txt', 'one\n\ttwo \u001b[31m\n'))).out).toBe('one\n\ttwo ·[31m\n\n');
  });

  it('says why a file cannot be read', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const [path, code, problem] of [
      [file('cut.docx', makeDocx(['x']).subarray(0, 50)), 3, 'cut off or damaged'],
      [file('a.bin', Uint8Array.of(1, 0, 2)), 3, 'neither text nor a document'],
      [join(folder, 'missing.pdf'), 2, 'does not exist'],
      [folder, 2, 'is a folder'],
      [pipe, 2, 'a pipe, a socket or a device'],
    ] as const)
      expect(await oka('read', path)).toMatchObject({ code, err: expect.stringContaining(problem) });
  });
});
