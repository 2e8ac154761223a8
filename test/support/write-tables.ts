/** `npm run docs`: writes the generated tables of the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES, withTables } from './task-tables.ts';

const TOP = join(import.meta.dirname, '../..');
for (const page of PAGES) writeFileSync(join(TOP, page), withTables(readFileSync(join(TOP, page), 'utf8')));
