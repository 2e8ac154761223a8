import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tryUntilFixed } from '../../../src/kit/cli/stay.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

it('with --stay a mistake is tried again and again but reported once, until it is another one', async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  let attempts = 0;
  const call = { options: { stay: true }, signal: stop.signal, notify: (line: string) => void lines.push(line) };
  const attempt = async (): Promise<number> => {
    attempts += 1;
    if (attempts === 9) stop.abort();
    throw new OkaError('refused', attempts < 5 ? 'the policy is not valid' : 'the disk is full', { fix: 'Fix it.' });
  };
  expect(await tryUntilFixed(call, attempt, 1)).toBe(0);
  expect(lines).toEqual(['oka: the policy is not valid\n     Fix it.', 'oka: the disk is full\n     Fix it.']);
});

it('init makes the key of the proxy for this user alone, and never another one in its place', async () => {
  using folder = temporaryFolder();
  const { dir } = folder;
  const key = join(dir, 'keys', 'egress');
  expect((await oka('init', '--dir', dir, '--egress-key', key)).out).toContain(key);
  const made = readFileSync(key);
  expect([made.length, statSync(key).mode & 0o777]).toEqual([32, 0o600]);
  await oka('init', '--dir', dir, '--egress-key', key);
  expect(readFileSync(key)).toEqual(made);
});
