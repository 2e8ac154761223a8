/**
 * The process that reads one document, prints its text as JSON and ends. It is given the path of the file and a
 * DocumentRequest. Whoever starts it limits what it may touch, its memory and its time (read-document.ts).
 */
import { readFileSync } from 'node:fs';
import type { DocumentRequest } from './document-contract.ts';
import { replyTo } from './document-readers.ts';

const [file = '', request = '{}'] = process.argv.slice(2);
const reply = await replyTo(new Uint8Array(readFileSync(file)), JSON.parse(request) as DocumentRequest);
process.stdout.write(JSON.stringify(reply));
