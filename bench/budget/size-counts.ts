/** How large what we send to others is: the scripts of the pages, and the package. */
import { openBrowserFiles } from '../../src/kit/web/assets/browser-files.ts';
import { pages } from '../../src/app/web/pages.ts';
import { packedFiles } from '../../pack/packed-files.ts';
import type { Counts } from './counts.ts';

export function sizeCounts(): Counts {
  const packed = packedFiles();
  return {
    ...pageCounts(),
    'the package': { files: packed.length, bytes: packed.reduce((sum, { bytes }) => sum + bytes, 0) },
  };
}

/** What a page needs at once, before it is compressed: how well that goes depends on the machine. */
function pageCounts(): Counts {
  const browserFiles = openBrowserFiles();
  const app = new URL('../../src/kit/web/browser/app.ts', import.meta.url);
  const bytesOf = (paths: readonly string[]): number =>
    paths.map((path) => browserFiles.find(path)?.body.length ?? 0).reduce((sum, bytes) => sum + bytes, 0);
  const prefix = `assets/${browserFiles.version}/`.length;
  const page = ({ name, view }: (typeof pages)[number]): [string, Counts[string]] => [
    `the page ${name}`,
    { script_bytes: bytesOf(browserFiles.modulesOf([app, view]).map((address) => address.slice(prefix))) },
  ];
  const all = browserFiles.paths.filter((path) => browserFiles.find(path)?.type.includes('javascript'));
  const catalogues = all.filter((path) => path.startsWith('words/'));
  return {
    ...Object.fromEntries(pages.map(page)),
    'all pages': { script_bytes: bytesOf(all.filter((path) => !catalogues.includes(path))) },
    'the words of a language': { script_bytes: Math.max(...catalogues.map((path) => bytesOf([path]))) },
  };
}
