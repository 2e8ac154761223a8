import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { watchConfig } from '../../../src/kit/home/config-file.ts';
import { homeAt } from '../../../src/kit/settings.ts';

it('a config whose mode alone has changed has not changed; one with other settings has', async () => {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-config-')));
  mkdirSync(dirname(home.config), { recursive: true });
  writeFileSync(home.config, '{}', { mode: 0o644 });
  const check = watchConfig(home, []);
  chmodSync(home.config, 0o600);
  const kinds = [await check(), await check(), await check()].map(({ kind }) => kind);
  expect(kinds).toEqual(['same', 'same', 'same']);
  writeFileSync(home.config, '{ "sandbox": "none" }');
  expect([await check(), await check()].map(({ kind }) => kind)).toEqual(['same', 'changed']);
  rmSync(home.dir, { recursive: true });
});
