import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { storingNotice } from '../../../../src/rooms/fleet/servers/storing-notice.ts';
import { OkaError } from '../../../../src/core/schema/errors.ts';

const asItIs = (error: unknown): Promise<unknown> => Promise.resolve(error);

it('says why something is not stored once for each reason, and again after it was stored', async () => {
  const said: string[] = [];
  const notice = storingNotice(
    (text) => said.push(text.replace('what is done here waits until it is stored: ', '')),
    asItIs,
  );
  const refuse = (reason: string) => notice(() => Promise.reject(new OkaError('fleet-refused', reason))).catch(String);
  for (const reason of ['full', 'full', 'locked', 'locked']) await refuse(reason);
  expect(await notice(() => Promise.resolve(7))).toBe(7);
  await refuse('locked');
  expect(said).toEqual(['full', 'locked', 'locked']);
});

it('names a file that cannot be read, and is silent about servers that do not answer', async () => {
  const said: string[] = [];
  const notice = storingNotice((text) => said.push(text), asItIs);
  await expect(notice(() => readFile(import.meta.dirname))).rejects.toThrow('EISDIR');
  await expect(notice(() => readFile('/nowhere/at-all'))).rejects.toThrow('ENOENT');
  for (const error of [new Error('timeout'), new OkaError('fleet-down', 'no answer')])
    await expect(notice(() => Promise.reject(error))).rejects.toBe(error);
  expect(said).toEqual([expect.stringContaining("open '/nowhere/at-all'")]);
});
