import { expect, it } from 'vitest';
import { openBrowserFiles } from '../../../src/kit/web/assets/browser-files.ts';
import { pages } from '../../../src/app/web/pages.ts';

const files = openBrowserFiles();
const pathOf = (address: string): string => address.slice(`assets/${files.version}/`.length);

it('a document names every module that its page needs at once, so that none is asked for in a second round', () => {
  const app = new URL('../../../src/kit/web/browser/app.ts', import.meta.url);
  const paths = files.modulesOf([app]).map(pathOf);
  expect(paths).toEqual(
    expect.arrayContaining([
      'kit/web/browser/app.ts',
      'kit/web/browser/page-data.ts',
      'kit/web/browser/components/problem-box.ts',
      'npm/preact/dist/preact.mjs',
      'npm/@preact/signals-core/dist/signals-core.mjs',
    ]),
  );
  for (const { name, view } of pages)
    for (const path of files.modulesOf([app, view]).map(pathOf))
      expect(files.find(path), `${name}: ${path}`).not.toBeNull();
});

it('what is loaded later is not among them: markdown and charts', () => {
  const paths = files
    .modulesOf([new URL('../../../src/kit/web/browser/app.ts', import.meta.url), ...pages.map(({ view }) => view)])
    .map(pathOf);
  expect(paths.filter((path) => /marked|purify|uPlot/.test(path))).toEqual([]);
});
