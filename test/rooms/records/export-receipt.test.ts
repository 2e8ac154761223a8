import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import type { RunReceipt } from '../../../src/core/schema/run-receipt.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

let folder: TemporaryFolder;
let receipt: RunReceipt;
let key: string;
const fileOf = (name: string): string => join(folder.dir, `${name}.json`);

beforeAll(async () => {
  folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', join(folder.dir, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  const home = homeAt(join(folder.dir, 'home'));
  mkdirSync(home.dir);
  for (const name of ['one', 'two'])
    await oka('run', `Make ${name}\n\n\`\`\`bash\necho ${name} > ${name}.txt\n\`\`\`\n`, '--dir', home.dir);
  const run = readdirSync(join(home.workspace, 'outbox')).find((name) => name.startsWith('make-two')) ?? '';
  const exported = await oka('receipt', run, '--dir', home.dir);
  expect(exported.code).toBe(0);
  receipt = JSON.parse(exported.out) as RunReceipt;
  writeFileSync(fileOf('receipt'), exported.out);
  key = /oka-ed25519:[\w-]+/.exec((await oka('doctor', '--dir', home.dir)).out)?.[0] ?? '';
});
afterAll(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

describe('a receipt', () => {
  it('is valid for the key of the home and nobody else, and needs no home to be verified', async () => {
    const nowhere = join(folder.dir, 'nowhere');
    const verified = await oka('verify', '--receipt', fileOf('receipt'), '--key', key, '--dir', nowhere);
    expect(verified).toMatchObject({ code: 0, out: expect.stringMatching(/^valid: run make-two/) as string });
    expect(verified.out).toContain('RESULT.md');
    const other = 'oka-ed25519:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    expect((await oka('verify', '--receipt', fileOf('receipt'), '--key', other)).code).toBe(1);
  });

  it('contains the events of the run and of the runs inside it, and nothing of other runs', () => {
    const text = receipt.records.join('\n');
    expect(text).toContain('two.txt');
    expect(text).not.toContain('one.txt');
    expect(receipt.records.some((record) => record.includes('"run.ended"'))).toBe(true);
    const results = receipt.results.map(({ file }) => file);
    expect(results).toContain('RESULT.md');
  });

  it.each([
    ['an event is changed', (copy: RunReceipt) => (copy.records[1] = copy.records[1]?.replace('a', 'b') ?? '')],
    ['an event is left out', (copy: RunReceipt) => copy.records.splice(2, 1)],
    [
      'the hash of a result is changed',
      (copy: RunReceipt) => (copy.results[0] = { ...copy.results[0], sha256: '0'.repeat(64) } as never),
    ],
    ['it names another run', (copy: RunReceipt) => (copy.run = 'other')],
    [
      'it names another key',
      (copy: RunReceipt) => (copy.key = 'oka-ed25519:11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    ],
  ])('proves nothing any more when %s', async (_, change) => {
    const copy = JSON.parse(readFileSync(fileOf('receipt'), 'utf8')) as RunReceipt;
    change(copy);
    writeFileSync(fileOf('changed'), JSON.stringify(copy));
    expect((await oka('verify', '--receipt', fileOf('changed'))).code).toBe(1);
  });
});
