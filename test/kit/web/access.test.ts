import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { openAccess } from '../../../src/kit/web/login/access.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('what lets somebody in is never said to be gone when it could not be removed', () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const access = openAccess(home);
  expect(access.removePassphrase()).toBe(false);
  const { session } = access.start('token', 'a program', 'all');
  expect([access.end(session.id), access.end(session.id)]).toEqual([true, false]);
  mkdirSync(join(home.oka, 'web', 'passphrase.json'), { recursive: true }); // stands for a file that stays
  expect(() => access.removePassphrase()).toThrow();
});
