import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allow, eventsOf, open, page, ran, step, workshop, type Workshop } from '../support/deps.ts';
import { type IndexOptions, type PythonIndex, pythonIndex } from '../support/python-index.ts';
import { canMakeEnvironments, makeWheels } from '../support/wheels.ts';

const HOUR_AGO = new Date(Date.now() - 3_600_000);
const MONTH_AGO = new Date(Date.now() - 30 * 86_400_000);
const importing = step("python3 -c 'import qrcode; print(qrcode.V)'");

type Shop = AsyncDisposable & { shop: Workshop; index: PythonIndex };

/** An index with qrcode 1.0 and 2.0; pip is set to it. */
async function indexed(options: IndexOptions): Promise<Shop> {
  const shop = await workshop([]);
  const folder = join(shop.home.dir, 'published');
  const version = (v: string) => ({ name: 'qrcode', version: v, files: { 'qrcode/__init__.py': `V = "${v}"` } });
  makeWheels(folder, [version('1.0'), version('2.0')]);
  const index = await pythonIndex(folder, options);
  process.env['PIP_INDEX_URL'] = index.url;
  return {
    shop,
    index,
    [Symbol.asyncDispose]: async () => {
      await index[Symbol.asyncDispose]();
      await shop[Symbol.asyncDispose]();
    },
  };
}

const isSecond = (file: string): boolean => file.includes('2.0');

describe.skipIf(!canMakeEnvironments)('releases of Python packages that are too young', () => {
  it.each([
    ['json, and says when', { speaks: 'json', at: (file) => (isSecond(file) ? HOUR_AGO : MONTH_AGO) }],
    ['html, and files say when', { speaks: 'html', changed: (file) => (isSecond(file) ? HOUR_AGO : MONTH_AGO) }],
    [
      'json without times, and files say when',
      { speaks: 'json', at: () => null, changed: (file) => (isSecond(file) ? HOUR_AGO : MONTH_AGO) },
    ],
  ] satisfies [string, IndexOptions][])('A1 an index that speaks %s: the one before is taken', async (_, options) => {
    await using there = await indexed(options);
    const run = await open(there.shop.home, (host) => ran(host, importing, 'r1'));
    expect(run).toMatchObject({ status: 'done', output: { stdout: '1.0\n' } });
    const [receipt] = await eventsOf(there.shop.home, 'dependency.installed');
    expect(receipt?.data).toMatchObject({ version: '1.0', from: new URL(there.index.url).host });
  });

  it('A1 every release is too young: nothing is taken, and the reason says so', async () => {
    await using there = await indexed({ speaks: 'json', at: () => HOUR_AGO });
    expect((await open(there.shop.home, (host) => ran(host, importing, 'r1'))).status).toBe('blocked');
    expect(page(there.shop.home)).toMatch(/younger than 3 days|none of that name/);
    expect(existsSync(join(there.shop.home.oka, 'tools', 'python'))).toBe(false);
  });

  it('A3 an index that nobody can get an age from is refused; the policy may say otherwise', async () => {
    await using there = await indexed({ speaks: 'html' });
    const { home } = there.shop;
    expect((await open(home, (host) => ran(host, importing, 'r1'))).status).toBe('blocked');
    expect(page(home)).toContain('does not say when qrcode-2.0-py3-none-any.whl was published');
    allow(home, 'installs: { unknown_age: take }\nrules: []');
    const run = await open(home, (host) => ran(host, importing, 'r2'));
    expect(run).toMatchObject({ status: 'done', output: { stdout: '2.0\n' } });
  });

  it('P2 bytes that are not what the index announced are refused', async () => {
    await using there = await indexed({ speaks: 'json', swapped: true });
    expect((await open(there.shop.home, (host) => ran(host, importing, 'r1'))).status).toBe('blocked');
    expect(page(there.shop.home)).toMatch(/hash/i);
    expect(existsSync(join(there.shop.home.oka, 'tools', 'python'))).toBe(false);
  });
});
