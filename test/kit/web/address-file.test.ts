import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAddress, removeAddress, writeAddress } from '../../../src/kit/web/login/address-file.ts';

it('a dashboard that ends leaves the address of another one that runs', () => {
  const home = { oka: mkdtempSync(join(tmpdir(), 'oka-address-')) };
  expect(readAddress(home)).toBeNull();
  writeAddress(home, 'http://127.0.0.1:1/');
  writeAddress(home, 'http://127.0.0.1:2/');
  expect(readAddress(home)).toBe('http://127.0.0.1:2/');
  removeAddress(home, 'http://127.0.0.1:2/');
  expect(readAddress(home)).toBe('http://127.0.0.1:1/');
  removeAddress(home, 'http://127.0.0.1:1/');
  expect(readAddress(home)).toBeNull();
  rmSync(home.oka, { recursive: true });
});

it('one that was killed is forgotten when another one starts', () => {
  const home = { oka: mkdtempSync(join(tmpdir(), 'oka-address-')) };
  writeAddress(home, 'http://127.0.0.1:1/');
  const { pid } = spawnSync('true'); // has ended
  const killed = { address: 'http://127.0.0.1:3/', pid, host: hostname() };
  const served = [{ address: 'http://127.0.0.1:1/', pid: process.pid, host: hostname() }, killed];
  writeFileSync(join(home.oka, 'web', 'address.json'), JSON.stringify({ served }));
  expect(readAddress(home)).toBe('http://127.0.0.1:1/');
  removeAddress(home, 'http://127.0.0.1:1/');
  expect(readAddress(home)).toBeNull();
  rmSync(home.oka, { recursive: true });
});
