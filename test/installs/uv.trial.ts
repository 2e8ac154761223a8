/**
 * With a real uv: `OKA_TEST_UV_WHEEL` names a wheel of it (pip download uv), or one is installed on this machine.
 * What uv answers is also recorded, in test/rooms/dependencies/uv.test.ts.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../../src/core/schema/home.ts';
import { eventsOf, open, page, ran, step, workshop, type Workshop } from '../support/deps.ts';
import { pythonIndex } from '../support/python-index.ts';
import { canMakeEnvironments, makeWheels, type WheelSpec } from '../support/wheels.ts';

const wheel = process.env['OKA_TEST_UV_WHEEL'] ?? '';
const isOfSystem = ['/usr/bin/uv', '/usr/local/bin/uv'].some(existsSync);
const HOUR_AGO = new Date(Date.now() - 3_600_000);

/** A folder of wheels with uv in it, unless the machine has its own. */
async function shopWith(specs: readonly WheelSpec[]): Promise<Workshop> {
  const shop = await workshop([], { tools: { wheels: 'wheels' } });
  const folder = join(shop.home.dir, 'wheels');
  mkdirSync(folder);
  makeWheels(folder, specs);
  if (wheel !== '') copyFileSync(wheel, join(folder, basename(wheel)));
  return shop;
}

const environment = (home: Home): string => readFileSync(join(home.oka, 'tools', 'python', 'pyvenv.cfg'), 'utf8');
const importing = (name: string): string => `python3 -c 'import ${name}; print(${name}.V)'`;
const asked = wheel === '' ? 'true' : 'uv --version';

describe.skipIf((wheel === '' && !isOfSystem) || !canMakeEnvironments)(
  'where there is uv',
  { timeout: 300_000 },
  () => {
    it('it makes and fills the environments, from a folder and from an index, and every wheel has its hash', async () => {
      await using shop = await shopWith([{ name: 'agate', version: '1.9', files: { 'agate/__init__.py': 'V = 1.9' } }]);
      const { home } = shop;
      const published = join(home.dir, 'published');
      const version = (v: string): WheelSpec => ({
        name: 'qrcode',
        version: v,
        needs: ['agate>=1'],
        files: { 'qrcode/__init__.py': `V = "${v}"` },
      });
      makeWheels(published, [version('1.0'), version('2.0')]);
      await using index = await pythonIndex(published, {
        speaks: 'json',
        at: (file) => (file.includes('2.0') ? HOUR_AGO : new Date(0)),
      });
      process.env['PIP_INDEX_URL'] = index.url;
      const [, near, far] = await open(home, async (host) => [
        await ran(host, step(asked), 'r0'),
        await ran(host, step(importing('agate')), 'r1'),
        await ran(host, step(importing('qrcode')), 'r2'),
      ]);
      expect(near).toMatchObject({ status: 'done', output: { stdout: '1.9\n' } });
      expect(far).toMatchObject({ status: 'done', output: { stdout: '1.0\n' } });
      expect(environment(home)).toMatch(/^uv = /m);
      const receipts = (await eventsOf(home, 'dependency.installed')).map(({ data }) => data);
      expect(receipts.find(({ name }) => name === 'agate')).toMatchObject({ from: join(home.dir, 'wheels') });
      const qrcode = receipts.find(({ name }) => name === 'qrcode');
      expect(qrcode).toMatchObject({ version: '1.0', scripts: false });
      for (const { integrity } of qrcode?.contains ?? []) expect(integrity).toMatch(/^sha256-[0-9a-f]{64}$/);
      expect(qrcode?.contains.map(({ name }) => name)).toEqual(expect.arrayContaining(['agate', 'qrcode']));
      expect(readlinkSync(join(home.oka, 'tools', 'python'))).toBe(qrcode?.folder);
    });

    it('what cannot live with the rest gets an environment of its own; what cannot be had is a clear reason', async () => {
      await using shop = await shopWith([
        { name: 'agate', version: '1.9' },
        { name: 'agate', version: '2.0', files: { 'agate/__init__.py': '' } },
        {
          name: 'csvkit',
          needs: ['agate<2'],
          files: { 'csvkit/__init__.py': 'def main(): print("old")' },
          scripts: { csvcut: 'csvkit:main' },
        },
        {
          name: 'visidata',
          needs: ['agate>=2'],
          files: { 'visidata/__init__.py': 'def main(): print("new")' },
          scripts: { vd: 'visidata:main' },
        },
      ]);
      const { home } = shop;
      const runs = await open(home, async (host) => [
        await ran(host, step(asked), 'r0'),
        await ran(host, step('csvcut && vd'), 'r1'),
        await ran(host, step(importing('phonenumbers')), 'r2'),
      ]);
      expect(runs[1]).toMatchObject({ status: 'done', output: { stdout: 'old\nnew\n' } });
      expect(runs[2]?.status).toBe('blocked');
      expect(page(home)).toContain('the Python index cannot be reached');
      expect(readdirSync(join(home.oka, 'tools', 'venvs')).some((name) => name.startsWith('.new-'))).toBe(false);
    });

    it('an index without times, and one that gives other bytes than it announced, are refused as with pip', async () => {
      await using shop = await shopWith([]);
      const { home } = shop;
      const published = join(home.dir, 'published');
      makeWheels(published, [{ name: 'qrcode', files: { 'qrcode/__init__.py': 'V = 1' } }]);
      await open(home, (host) => ran(host, step(asked), 'r0'));
      await using plain = await pythonIndex(published, { speaks: 'html' });
      process.env['PIP_INDEX_URL'] = plain.url;
      expect((await open(home, (host) => ran(host, step(importing('qrcode')), 'r1'))).status).toBe('blocked');
      expect(page(home)).toContain('does not say when qrcode-1.0-py3-none-any.whl was published');
      await using swapped = await pythonIndex(published, { speaks: 'json', swapped: true });
      process.env['PIP_INDEX_URL'] = swapped.url;
      expect((await open(home, (host) => ran(host, step(importing('qrcode')), 'r2'))).status).toBe('blocked');
      expect(page(home)).toMatch(/not what the index announced|do not match the hashes/i);
    });
  },
);
