/**
 * `npm run -s docs:site [DIR]`: the documents as a static site, by default in `site/`. Every version has a folder of its own,
 * and the first page lists those that are there. It needs no server: the pages work from a disk, without a network.
 */
import { join, resolve } from 'node:path';
import { buildSite } from './build-site.ts';

const top = join(import.meta.dirname, '../..');
const { pages, problems, dir } = buildSite(top, resolve(process.argv[2] ?? join(top, 'site')));
for (const problem of problems) console.error(`✗ ${problem}`);
console.error(`${pages} pages in ${dir}`);
if (problems.length > 0) process.exitCode = 1;
