/** The worker thread that expands events, one after the other, and ends. Whoever started it limits its memory and its time. */
import { parentPort, workerData } from 'node:worker_threads';
import { expandEvents } from './expand-events.ts';
import type { ExpandTask } from './expand-in-thread.ts';

const { objects, span, me } = workerData as ExpandTask;
parentPort?.postMessage('begun', []); // time counts from here: loading takes longer on a busy machine
for (const ics of objects) parentPort?.postMessage(expandEvents(ics, span, me), []);
