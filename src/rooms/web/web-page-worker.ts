/** The worker thread that makes markdown of one page and ends. Whoever started it limits its memory and its time. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PageSource, readablePage } from '../../kit/documents/readable-html.ts';

parentPort?.postMessage('begun', []); // its time counts from here: loading takes longer on a busy machine, whatever the page is
parentPort?.postMessage(readablePage(workerData as PageSource), []);
