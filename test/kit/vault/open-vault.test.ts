import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { armor, Encrypter } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, openVault, type VaultPlaces } from '../../../src/kit/vault/open-vault.ts';
import { diskWriter } from '../../../src/core/ledger/disk.ts';
import { requireSecret, valuesIn, withValue, withoutSecret } from '../../../src/kit/vault/vault-contents.ts';
import type { VaultContents } from '../../../src/core/schema/secret.ts';
import { temporaryFolder } from '../../support/cli.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const nobody = (): Promise<string> => Promise.reject(new Error('nobody is asked'));
const empty: VaultContents = { v: 1, fingerprint_key: 'k'.repeat(44), secrets: {} };

function placesIn(dir: string): VaultPlaces {
  mkdirSync(join(dir, '.oka'), { recursive: true });
  return {
    file: join(dir, '.oka', 'credentials.age'),
    lock: join(dir, '.oka', 'locks', 'credentials.lock'),
    mounted: join(dir, 'run', 'oka_identity'),
    key: join(dir, 'config', 'oka', 'identity'),
  };
}

const setting =
  (name: string, value: string) =>
  (contents: VaultContents): VaultContents =>
    withValue(contents, name, value, NOW);

/** A vault with one secret in it. */
async function filled(dir: string): Promise<{ places: VaultPlaces; sealed: Buffer }> {
  const places = placesIn(dir);
  await openVault(places, nobody, diskWriter).change(setting('TOKEN', 'sesame-open-42'));
  return { places, sealed: readFileSync(places.file) };
}

describe('a vault', () => {
  it('V3 is made together with its key, both for this user alone', async () => {
    using folder = temporaryFolder();
    const places = placesIn(folder.dir);
    const made = await openVault(places, nobody, diskWriter).change(setting('TOKEN', 'sesame-open-42'));
    expect(made).toEqual({ newKey: places.key });
    expect([places.file, places.key].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(statSync(join(folder.dir, 'config', 'oka')).mode & 0o777).toBe(0o700);
    const again = await openVault(places, nobody, diskWriter).change(setting('OTHER', 'another-value'));
    expect(again).toEqual({ newKey: null });
    expect(Object.keys((await openVault(places, nobody, diskWriter).read())?.secrets ?? {})).toEqual([
      'TOKEN',
      'OTHER',
    ]);
  });

  it('contains nothing that can be read without the key', async () => {
    using folder = temporaryFolder();
    const { sealed } = await filled(folder.dir);
    for (const part of ['sesame', 'TOKEN', 'fingerprint']) expect(sealed.includes(part)).toBe(false);
    expect(sealed.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n-> X25519 /);
  });

  it('is null when it is not there, and asking for it makes nothing', async () => {
    using folder = temporaryFolder();
    const places = placesIn(folder.dir);
    expect(await openVault(places, nobody, diskWriter).read()).toBeNull();
    expect(existsSync(places.key)).toBe(false);
  });

  it('a mounted secret goes before the key file', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    mkdirSync(join(folder.dir, 'run'));
    renameSync(places.key, places.mounted);
    chmodSync(places.mounted, 0o444);
    expect(requireSecret(await openVault(places, nobody, diskWriter).read(), 'TOKEN').value).toBe('sesame-open-42');
  });

  it('a mounted secret with nothing but remarks in it is none: the key file is used', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    mkdirSync(join(folder.dir, 'run'));
    for (const nothing of ['', '\n', '# Nothing.\n', '\n# One\n\n  # Two']) {
      writeFileSync(places.mounted, nothing);
      expect(requireSecret(await openVault(places, nobody, diskWriter).read(), 'TOKEN').value).toBe('sesame-open-42');
    }
    writeFileSync(places.mounted, '# One\nnot a key\n');
    await expect(openVault(places, nobody, diskWriter).read()).rejects.toThrow('does not contain an age key');
  });

  it('gives the same fingerprint for the same value, and another for another', () => {
    const print = fingerprintOf(empty, 'sesame-open-42');
    expect(print).toMatch(/^[0-9a-f]{32}$/);
    expect(fingerprintOf(empty, 'sesame-open-42')).toBe(print);
    expect(fingerprintOf(empty, 'sesame-open-43')).not.toBe(print);
    expect(fingerprintOf({ fingerprint_key: 'l'.repeat(44) }, 'sesame-open-42')).not.toBe(print);
  });

  it('a key may be wrapped with a passphrase, which is asked for once', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    const encrypter = new Encrypter();
    encrypter.setPassphrase('ten thousand geese');
    encrypter.setScryptWorkFactor(10); // ours is 18, which takes seconds
    const key = /AGE-SECRET-KEY-1\w+/.exec(readFileSync(places.key, 'utf8'))?.[0] ?? '';
    writeFileSync(places.key, armor.encode(await encrypter.encrypt(key)));
    await expect(openVault(places, async () => 'ten thousand ducks', diskWriter).read()).rejects.toThrow(/passphrase/);
    const asked: string[] = [];
    const vault = openVault(places, async (file) => (asked.push(file), 'ten thousand geese'), diskWriter);
    expect(requireSecret(await vault.read(), 'TOKEN').value).toBe('sesame-open-42');
    await vault.change(setting('OTHER', 'another-value'));
    expect(asked).toEqual([places.key]);
  });
});

describe('V1 nothing is overwritten that could not be read', () => {
  const refused = async (places: VaultPlaces, message: RegExp): Promise<void> => {
    const before = existsSync(places.file) ? readFileSync(places.file) : null;
    const vault = openVault(places, nobody, diskWriter);
    await expect(vault.read()).rejects.toThrow(message);
    await expect(vault.change(setting('OTHER', 'another-value'))).rejects.toThrow(message);
    if (before !== null) expect(readFileSync(places.file).equals(before)).toBe(true);
    expect(readdirSync(join(places.file, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  };

  it('when the key is missing; and no new one is made', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    renameSync(places.key, `${places.key}.away`);
    await refused(places, /the key of .* is missing/);
    expect(existsSync(places.key)).toBe(false);
  });

  it('when the key is another one', async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    const { places } = await filled(folder.dir);
    const { places: theirs } = await filled(other.dir);
    writeFileSync(places.key, readFileSync(theirs.key));
    await refused(places, /made for another key/);
  });

  it('when a byte of it was changed, wherever', async () => {
    using folder = temporaryFolder();
    const { places, sealed } = await filled(folder.dir);
    for (const at of [3, 30, 100, 150, 190, sealed.length - 20, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(places.file, changed);
      await refused(places, /damaged or was changed|made for another key/);
    }
  });

  it('when it was cut off, emptied or replaced by something else', async () => {
    using folder = temporaryFolder();
    const { places, sealed } = await filled(folder.dir);
    for (const content of [
      sealed.subarray(0, sealed.length - 5),
      sealed.subarray(0, 50),
      Buffer.alloc(0),
      Buffer.from('{}'),
    ]) {
      writeFileSync(places.file, content);
      await refused(places, /damaged or was changed/);
    }
  });

  it('when it is a link or a pipe', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    const target = `${places.file}.real`;
    renameSync(places.file, target);
    symlinkSync(target, places.file);
    await refused(places, /symbolic link|not a regular file/);
  });
});

describe('a key file', () => {
  it.each([0o640, 0o604, 0o644, 0o666, 0o660])(
    'that others can read is refused with the remedy (mode %o)',
    async (mode) => {
      using folder = temporaryFolder();
      const { places } = await filled(folder.dir);
      chmodSync(places.key, mode);
      await expect(openVault(places, nobody, diskWriter).read()).rejects.toMatchObject({
        message: expect.stringContaining('others can read'),
        fix: expect.stringContaining(`chmod 600 ${places.key}`),
      });
    },
  );

  it('that is a link is refused', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    renameSync(places.key, `${places.key}.real`);
    symlinkSync(`${places.key}.real`, places.key);
    await expect(openVault(places, nobody, diskWriter).read()).rejects.toThrow('symbolic link');
  });

  it.runIf(process.getuid?.() === 0)('that belongs to another user is refused', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    chownSync(places.key, 12_345, 12_345);
    await expect(openVault(places, nobody, diskWriter).read()).rejects.toThrow('belongs to uid 12345');
  });

  it('that contains no key is refused, without quoting it', async () => {
    using folder = temporaryFolder();
    const { places } = await filled(folder.dir);
    writeFileSync(places.key, 'AGE-SECRET-KEY-1SHORT\n');
    await expect(openVault(places, nobody, diskWriter).read()).rejects.toThrow('does not contain an age key');
    await expect(openVault(places, nobody, diskWriter).read()).rejects.not.toThrow('SHORT');
  });
});

describe('V2 a change', () => {
  it('of many writers at once loses none', async () => {
    using folder = temporaryFolder();
    const places = placesIn(folder.dir);
    const program = `
      import { openVault } from '${join(import.meta.dirname, '../../../src/kit/vault/open-vault.ts')}';
      import { diskWriter } from '${join(import.meta.dirname, '../../../src/core/ledger/disk.ts')}';
      import { withValue } from '${join(import.meta.dirname, '../../../src/kit/vault/vault-contents.ts')}';
      const vault = openVault(${JSON.stringify(places)}, () => Promise.reject(new Error('asked')), diskWriter);
      for (const n of [1, 2]) await vault.change((all) => withValue(all, process.argv[1] + n, 'value-of-' + process.argv[1] + n, '${NOW}'));`;
    const ends = ['A', 'B', 'C'].map((name) => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program, name], {
        stdio: 'inherit',
      });
      return new Promise((resolve) => child.once('close', resolve));
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0]);
    const names = Object.keys((await openVault(places, nobody, diskWriter).read())?.secrets ?? {});
    expect(names.toSorted()).toEqual(['A1', 'A2', 'B1', 'B2', 'C1', 'C2']);
  });

  it('that cannot be written leaves the vault as it was', async () => {
    using folder = temporaryFolder();
    const { places, sealed } = await filled(folder.dir);
    const program = `
      import { openVault } from '${join(import.meta.dirname, '../../../src/kit/vault/open-vault.ts')}';
      import { diskWriter } from '${join(import.meta.dirname, '../../../src/core/ledger/disk.ts')}';
      import { withValue } from '${join(import.meta.dirname, '../../../src/kit/vault/vault-contents.ts')}';
      process.on('SIGXFSZ', () => {});
      const vault = openVault(${JSON.stringify(places)}, () => Promise.reject(new Error('asked')), diskWriter);
      await vault.change((all) => withValue(all, 'BIG', 'x'.repeat(60000) + '1', '${NOW}')).catch((error) => console.log(error.code, error.message));`;
    const child = spawn('bash', [
      '-c',
      'ulimit -f 16; exec "$0" --input-type=module-typescript -e "$1"',
      process.execPath,
      program,
    ]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    expect(said).toContain('disk-full');
    expect(readFileSync(places.file).equals(sealed)).toBe(true);
    expect(readdirSync(join(folder.dir, '.oka')).toSorted()).toEqual(['credentials.age', 'locks']);
  });
});

describe('what is in a vault', () => {
  it('a new value is a new version, and the old one stays known', () => {
    const once = withValue(empty, 'A', 'first-value', NOW, { tools: ['shell'], hosts: [] });
    const twice = withValue(once, 'A', 'second-value', NOW);
    expect(twice.secrets['A']).toEqual({
      value: 'second-value',
      version: 2,
      tools: ['shell'],
      hosts: [],
      set_at: NOW,
      old: [{ version: 1, value: 'first-value' }],
    });
    expect(valuesIn(twice).map(({ value }) => value)).toEqual(['second-value', 'first-value']);
  });

  it('a removed secret cannot be used, stays known, and counts on when it comes back', () => {
    const gone = withoutSecret(withValue(empty, 'A', 'first-value', NOW), 'A', false);
    expect(() => requireSecret(gone, 'A')).toThrow('no secret "A"');
    expect(valuesIn(gone)).toEqual([{ name: 'A', value: 'first-value' }]);
    expect(withValue(gone, 'A', 'second-value', NOW).secrets['A']?.version).toBe(2);
    expect(valuesIn(withoutSecret(withValue(empty, 'A', 'first-value', NOW), 'A', true))).toEqual([]);
  });

  it.each([
    ['A', 'short', /fewer than 6/],
    ['A', ' a b c ,"" ', /fewer than 6/],
    ['A', '12345678901', /fewer than 12 digits/],
    ['A', 'production', /an ordinary word/],
    ['A', 'Berlin', /an ordinary word/],
    ['A', 'STAGING', /an ordinary word/],
    ['A', 'db.example.org', /an ordinary word/],
    ['A', 'localhost:8080', /an ordinary word/],
    ['A', '/var/log/syslog', /an ordinary word/],
    ['A', '2026-11-15', /an ordinary word/],
    ['A', 'Müller', /an ordinary word/],
    ['A', 'nul\0inside', /NUL/],
    ['A', 'x'.repeat(65_537), /longer than/],
    ['MY_D4TABASE_KEY', 'd4tabase', /part of the name MY_D4TABASE_KEY/],
    ['../A', 'fine-value', /cannot be the name/],
    ['', 'fine-value', /cannot be the name/],
  ])('%j cannot be set to such a value (%#)', (name, value, why) => {
    expect(() => withValue(empty, name, value, NOW)).toThrow(why);
  });

  it.each([
    'hunter2',
    'open-sesame',
    'abcd efgh ijkl mnop',
    'xkqzvwptrsjdfghb',
    'correct horse',
    '4111 1111 1111 1111',
  ])('a value that nobody writes by chance is accepted: %j', (value) => {
    expect(valuesIn(withValue(empty, 'A', value, NOW))).toEqual([{ name: 'A', value }]);
  });
});
