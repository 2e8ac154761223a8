/** `npm run docs`: writes the generated tables of the documents, and the index of commands. */
import './rooms-of-product.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_INDEX, commandIndexText } from './command-index-text.ts';
import { EXAMPLES, examplesText } from './examples.ts';
import { examplePicture, PICTURE } from './graph-tables.ts';
import { PAGES, withTables } from './task-tables.ts';

const TOP = join(import.meta.dirname, '../..');
for (const page of PAGES) writeFileSync(join(TOP, page), withTables(readFileSync(join(TOP, page), 'utf8')));
writeFileSync(join(TOP, PICTURE), examplePicture());
writeFileSync(join(TOP, EXAMPLES), examplesText());
writeFileSync(join(TOP, COMMAND_INDEX), await commandIndexText());
