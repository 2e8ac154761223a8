import { mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { placeTaskFiles } from '../../../src/kit/desk/place-task-files.ts';
import { stateOf, TestDesk } from '../../support/desk.ts';

const files = [
  { path: 'in/data.csv', bytes: 2, executable: false },
  { path: 'run.sh', bytes: 3, executable: true },
];

function bundled(desk: TestDesk, id = 'job-1'): { id: string; folder: string; files: typeof files } {
  const folder = join(desk.home, 'job');
  mkdirSync(join(folder, 'in'), { recursive: true });
  writeFileSync(join(folder, 'in/data.csv'), 'x\n');
  writeFileSync(join(folder, 'run.sh'), 'run');
  return { id, folder, files };
}

it('the files of a task lie in a folder of their own, once, however often it is asked for', () => {
  using desk = new TestDesk();
  expect(placeTaskFiles(bundled(desk), desk.dir)).toBe('job-1');
  expect(placeTaskFiles(bundled(desk), desk.dir)).toBe('job-1');
  expect(stateOf(desk.dir)).toEqual({
    'job-1': 'folder 755',
    'job-1/in': 'folder 755',
    'job-1/in/data.csv': 'file 644 x\n',
    'job-1/run.sh': 'file 755 run',
  });
});

it('a folder of the same name that is somebody else’s is left alone', () => {
  using desk = new TestDesk({ 'job-1/run.sh': 'mine' });
  expect(placeTaskFiles(bundled(desk), desk.dir)).toBe('job-1-2');
  expect(desk.read('job-1/run.sh')).toBe('mine');
});

it('a link in the place of the folder is not followed', () => {
  using desk = new TestDesk({ 'job-1': { link: '../outside' } });
  mkdirSync(join(desk.home, 'outside'));
  expect(placeTaskFiles(bundled(desk), desk.dir)).toBe('job-1-2');
  expect(readdirSync(join(desk.home, 'outside'))).toEqual([]);
});

it('a file that has become a link is refused, and nothing is left on the desk', () => {
  using desk = new TestDesk();
  const bundle = bundled(desk);
  symlinkSync('/etc/passwd', join(bundle.folder, 'link'));
  const changed = { ...bundle, files: [...files, { path: 'link', bytes: 10, executable: false }] };
  expect(() => placeTaskFiles(changed, desk.dir)).toThrow(/link/);
  expect(readdirSync(desk.dir)).toEqual([]);
});

it('files keep the time of their last change', () => {
  using desk = new TestDesk();
  const bundle = bundled(desk);
  const dated = { ...bundle, files: files.map((file, index) => ({ ...file, mtimeMs: 1_000_000 * (index + 1) })) };
  const name = placeTaskFiles(dated, desk.dir) ?? '';
  expect(dated.files.map(({ path }) => statSync(join(desk.dir, name, path)).mtimeMs)).toEqual(
    dated.files.map(({ mtimeMs }) => mtimeMs),
  );
});

it('a task without files has no folder', () => {
  using desk = new TestDesk();
  expect(placeTaskFiles({ id: 'a', folder: null, files: [] }, desk.dir)).toBeNull();
  expect(readdirSync(desk.dir)).toEqual([]);
});

it('links that stay inside are placed as links', () => {
  using desk = new TestDesk();
  const links = [{ path: 'in/deep/latest', target: '../data.csv' }];
  for (const _ of [1, 2]) expect(placeTaskFiles({ ...bundled(desk), links }, desk.dir)).toBe('job-1');
  expect(readlinkSync(desk.at('job-1/in/deep/latest'))).toBe('../data.csv');
});
