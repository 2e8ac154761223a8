/**
 * The worker thread that expands events, one after the other, or edits one, and ends. Whoever started it limits its memory
 * and its time.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { editEvent } from './edit-event.ts';
import { expandEvents } from './expand-events.ts';
import type { ThreadTask } from './expand-in-thread.ts';

const task = workerData as ThreadTask;
parentPort?.postMessage('begun', []); // time counts from here: loading takes longer on a busy machine
if ('edit' in task) parentPort?.postMessage(editEvent(task.edit), []);
else
  for (const ics of task.expand.objects)
    parentPort?.postMessage(expandEvents(ics, task.expand.span, task.expand.me), []);
