import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOnDesk, listDeskFolder, openDeskFile } from '../../../src/rooms/desk/page/desk-files.ts';
import { placingTask } from '../../../src/rooms/desk/page/browser/placing-task.ts';
import { homeAt } from '../../../src/kit/settings.ts';

const openHome = (): ReturnType<typeof homeAt> => {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-files-')));
  const desk = join(home.workspace, 'desk');
  mkdirSync(join(desk, 'reports/node_modules'), { recursive: true });
  mkdirSync(join(desk, '.git'));
  writeFileSync(join(desk, 'reports/totals 10.csv'), 'a\n');
  writeFileSync(join(desk, 'reports/totals 9.csv'), 'a\n');
  writeFileSync(join(desk, 'reports/node_modules/totals.js'), '');
  writeFileSync(join(home.workspace, 'secret.txt'), 'not on the desk');
  symlinkSync(home.workspace, join(desk, 'way-out'));
  symlinkSync(join(home.workspace, 'secret.txt'), join(desk, 'leak.txt'));
  return home;
};

describe('the desk on the page Files', () => {
  it('is listed with folders first, numbers in their order, and hidden names last', () => {
    const home = openHome();
    expect(listDeskFolder(home, '')?.map(({ name }) => name)).toEqual(['reports', 'leak.txt', 'way-out', '.git']);
    const reports = listDeskFolder(home, 'reports')?.map(({ name }) => name);
    expect(reports).toEqual(['node_modules', 'totals 9.csv', 'totals 10.csv']);
    expect(listDeskFolder(home, 'not-there')).toBeNull();
  });

  it('ends where the desk ends: no path and no link leads out of it', () => {
    const home = openHome();
    expect(listDeskFolder(home, 'way-out')).toBeNull();
    for (const path of [
      'leak.txt',
      'way-out/secret.txt',
      '../secret.txt',
      'reports/../../secret.txt',
      '/etc/passwd',
      '',
    ])
      expect(() => openDeskFile(home, path)).toThrow('There is no such file on the desk.');
  });

  it('is searched by words of the path, the names first, without what programs installed', () => {
    const home = openHome();
    expect(findOnDesk(home, 'TOTALS csv', 10).map(({ path }) => path)).toEqual([
      'reports/totals 9.csv',
      'reports/totals 10.csv',
    ]);
    expect(findOnDesk(home, 'reports', 10)[0]?.path).toBe('reports');
    expect(findOnDesk(home, ' ', 10)).toEqual([]);
  });

  it('has no entries before anybody worked in a home', () => {
    expect(listDeskFolder(homeAt(mkdtempSync(join(tmpdir(), 'oka-files-'))), '')).toBeNull();
  });

  it('gets files by a task whose words the shell cannot misread', () => {
    const text = placingTask(["it's.csv", 'photos/a.jpg', 'photos/b.jpg'], "a'b");
    expect(text).toContain("mv -- 'it'\\''s.csv' '../a'\\''b/it'\\''s.csv'");
    expect(text.match(/^mv /gm)).toHaveLength(2);
    expect(placingTask(['x\n`y'], '')).toContain('# Put x  y on the desk\n');
  });
});
