import { expect, it } from 'vitest';
import { findWidening } from '../../../src/rooms/task/widened-plan.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Planned, TaskGiven } from '../../../src/core/schema/task-run.ts';

const planned = (tools: string[], targets: string[]): Planned =>
  ({ tools, targets, criteria: [], graph: { sha256: '0'.repeat(64) } }) as unknown as Planned;
const past = [{ plan: planned(['files.read'], ['list.txt']), child: 'child', reason: 'the list is not there' }];
const task = { dir: null, fields: {} } as unknown as TaskGiven;
const packed = (section: string): Event =>
  ({ type: 'context.packed', run: 'task', data: { items: [{ section }] } }) as unknown as Event;

/** What a person is asked when a second plan wants to write a file that nobody named. */
const widening = (events: readonly Event[]): ReturnType<typeof findWidening> =>
  findWidening(
    { eventsOf: async (run) => (run === 'task' ? [...events] : []), tools: () => [] },
    planned(['files.write'], ['stolen.txt']),
    past,
    { run: 'task', task, body: 'Write list.txt.' },
  );

it('a planner that was shown frames counts as having read: a further tool for what nobody named is asked about', async () => {
  expect(await widening([packed('frames')])).toEqual({ tools: ['files.write'], targets: ['stolen.txt'] });
});

it('facts and instructions of the operator do not count as read', async () => {
  expect(await widening([packed('facts'), packed('standing')])).toBeNull();
});
