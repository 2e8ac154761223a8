import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openVault, sealFor, type Vault } from '../../../../src/kit/vault/open-vault.ts';
import { diskWriter } from '../../../../src/core/ledger/disk.ts';
import { type Bound, openWith, sealTo } from '../../../../src/rooms/replica/copy/seal.ts';
import { temporaryFolder } from '../../../support/cli.ts';

const BOUND: Bound = { ledger: 'home-1', pen: 'run', seq: 7, hash: 'f'.repeat(64) };

async function vaultIn(dir: string, name: string): Promise<Vault> {
  const at = (file: string): string => join(dir, name, file);
  const places = { file: at('credentials.age'), lock: at('lock'), mounted: at('none'), key: at('identity') };
  const vault = openVault(places, () => Promise.reject(new Error('not asked')), diskWriter);
  await vault.change((contents) => contents);
  return vault;
}

describe('sealed bodies', () => {
  it('are opened by every recipient and by nobody else', async () => {
    using folder = temporaryFolder();
    const [a, b, stranger] = await Promise.all(['a', 'b', 'c'].map((name) => vaultIn(folder.dir, name)));
    if (a === undefined || b === undefined || stranger === undefined) throw new Error('no vaults');
    const recipients = [await a.recipient(), await b.recipient()];
    const seal = sealTo((bytes) => sealFor(recipients, bytes));
    const sealed = await seal('{"reason":"naïve ☕"}', BOUND);
    expect(await openWith((bytes) => a.unseal(bytes))(sealed, BOUND)).toEqual({
      kind: 'opened',
      text: '{"reason":"naïve ☕"}',
    });
    expect(await openWith((bytes) => b.unseal(bytes))(sealed, BOUND)).toMatchObject({ kind: 'opened' });
    expect(await openWith((bytes) => stranger.unseal(bytes))(sealed, BOUND)).toEqual({ kind: 'foreign' });
  });

  it('E1 open one by one, also behind a change of keys, and no two are alike', async () => {
    let keys = 0;
    const seal = sealTo(async (bytes) => {
      keys += 1;
      return bytes;
    }, 3);
    const sealed: string[] = [];
    for (let index = 0; index < 10; index += 1) sealed.push(await seal('the same', { ...BOUND, seq: index + 1 }));
    expect(keys).toBe(4);
    expect(new Set(sealed).size).toBe(10);
    const open = openWith(async (bytes) => bytes);
    for (const index of [9, 0, 5])
      expect(await open(sealed[index] ?? '', { ...BOUND, seq: index + 1 })).toEqual({
        kind: 'opened',
        text: 'the same',
      });
  });

  it('do not open when they were changed, or put under another event', async () => {
    const seal = sealTo(async (bytes) => bytes);
    const open = openWith(async (bytes) => bytes);
    const sealed = await seal('{"a":1}', BOUND);
    const flipped = sealed.slice(0, -3) + (sealed.at(-3) === 'A' ? 'B' : 'A') + sealed.slice(-2);
    for (const [text, bound] of [
      [flipped, BOUND],
      [sealed, { ...BOUND, seq: 8 }],
      [sealed, { ...BOUND, ledger: 'home-2' }],
      [sealed, { ...BOUND, pen: 'maintenance' }],
      [sealed, { ...BOUND, hash: 'e'.repeat(64) }],
      ['{"a":1}', BOUND],
      ['oka1.AAAA.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAA', BOUND],
    ] as const)
      expect(await open(text, bound)).toMatchObject({ kind: 'changed' });
  });

  it('a recipient that is none is said by name', async () => {
    await expect(sealFor([`age1${'q'.repeat(58)}`], new Uint8Array(32))).rejects.toMatchObject({
      code: 'invalid-file',
      message: expect.stringContaining('age1qqq'),
    });
  });
});
