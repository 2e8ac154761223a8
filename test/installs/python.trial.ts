import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsOf, open, page, ran, step, workshop } from '../support/deps.ts';
import { canMakeEnvironments, makeWheels } from '../support/wheels.ts';

const python = (code: string): string => `python3 -c '${code}'`;

describe.skipIf(!canMakeEnvironments)('modules of Python that nobody installed', () => {
  it('P3 come out of a folder of wheels without the network, each in a new environment with those before', async () => {
    await using shop = await workshop([], { tools: { wheels: 'wheels' } });
    const { home } = shop;
    makeWheels(join(home.dir, 'wheels'), [
      { name: 'qrcode', version: '7.4', files: { 'qrcode/__init__.py': 'SIZE = 21' } },
      {
        name: 'csvkit',
        needs: ['agate>=1'],
        files: { 'csvkit/__init__.py': 'def main():\n  import agate, qrcode\n  print("cut", agate.OK, qrcode.SIZE)' },
        scripts: { csvcut: 'csvkit:main' },
      },
      { name: 'agate', version: '1.9', files: { 'agate/__init__.py': 'OK = True' } },
    ]);
    const [first, second] = await open(home, async (host) => [
      await ran(host, step(python('import qrcode; print(qrcode.SIZE)')), 'r1'),
      await ran(host, step('csvcut'), 'r2'),
    ]);
    expect(first).toMatchObject({ status: 'done', output: { stdout: '21\n' } });
    expect(second).toMatchObject({ status: 'done', output: { stdout: 'cut True 21\n' } });
    const receipts = (await eventsOf(home, 'dependency.installed')).map(({ data }) => data);
    expect(receipts.map(({ name, folder, replaces }) => [name, folder, replaces])).toEqual([
      ['qrcode', 'venvs/1', null],
      ['csvkit', 'venvs/2', 'venvs/1'],
    ]);
    expect(receipts[1]).toMatchObject({ commands: ['csvcut'], from: join(home.dir, 'wheels') });
    expect(readlinkSync(join(home.oka, 'tools', 'python'))).toBe('venvs/2');
    await open(home, async () => undefined);
    expect(readdirSync(join(home.oka, 'tools', 'venvs'))).toEqual(['2']);
  });

  it('P1 what cannot live with the rest gets an environment of its own, and its programs still work', async () => {
    await using shop = await workshop([], { tools: { wheels: 'wheels' } });
    const { home } = shop;
    makeWheels(join(home.dir, 'wheels'), [
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
    const runs = await open(home, async (host) => [
      await ran(host, step('csvcut'), 'r1'),
      await ran(host, step('vd'), 'r2'),
      await ran(host, step('csvcut; vd'), 'r3'),
    ]);
    expect(runs.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    expect(runs[2]).toMatchObject({ output: { stdout: 'old\nnew\n' } });
    expect(readlinkSync(join(home.oka, 'tools', 'python'))).toBe('venvs/1');
    expect(existsSync(join(home.oka, 'tools', 'bin', 'vd'))).toBe(true);
  });

  it('an index that cannot be reached is a clear reason to wait, and leaves nothing behind', async () => {
    await using shop = await workshop([]);
    const { home } = shop;
    const run = await open(home, (host) => ran(host, step(python('import phonenumbers')), 'r1'));
    expect(run.status).toBe('blocked');
    expect(page(home)).toContain('the Python index cannot be reached');
    expect(page(home)).toContain("No module named 'phonenumbers'");
    expect(readdirSync(join(home.oka, 'tools', 'venvs'))).toEqual([]);
    expect(existsSync(join(home.oka, 'tools', 'python'))).toBe(false);
  });
});
