import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { requestRelay } from '../../../src/rooms/fleet/request-relay.ts';
import type { RequestRelay } from '../../../src/kit/ports/fleet-port.ts';
import type { FleetReply } from '../../../src/core/schema/fleet-requests.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import type { RunMessage } from '../../../src/core/schema/fleet.ts';

const pause: Intake = { kind: 'pause', run: 'far' };
const cancel: Intake = { kind: 'cancel', run: 'far' };
const replyTo = (id: string): FleetReply => ({ kind: 'reply', id, reply: { done: null } });

type Fixture = {
  relay: RequestRelay;
  sent: string[];
  owner: { worker: string; epoch: number } | null;
  time: number;
  isCancelled: boolean;
};

function fixture(): Fixture {
  const at: Fixture = { sent: [], owner: null, time: 0, isCancelled: false, relay: null as never };
  at.relay = requestRelay({
    name: 'here',
    log: {
      last: async () =>
        at.owner === null
          ? null
          : { sequence: 1, message: { kind: 'claim', process: 'p', ...at.owner } as unknown as RunMessage },
    },
    results: { request: async (to, from, { id }, epoch) => void at.sent.push(`${id} ${from} ${to} ${epoch}`) },
    redact: (text) => text.replaceAll('hunter2', '***'),
    cancelQueued: async () => at.isCancelled,
    now: () => at.time,
  });
  return at;
}

async function poll(at: Fixture, id: string, intake: Intake, task: string | null = 'far'): Promise<boolean> {
  at.time += 1500;
  const isPending = at.relay.isPending(id, task, intake);
  await turn();
  return isPending;
}

it('Y2 a request goes to each owner once, until one of them has replied', async () => {
  const at = fixture();
  expect(await poll(at, 'a', pause)).toBe(true);
  expect(at.sent).toEqual([]); // it is still in the queue
  at.owner = { worker: 'left', epoch: 1 };
  expect([await poll(at, 'a', pause), await poll(at, 'a', pause)]).toEqual([true, true]);
  at.owner = { worker: 'right', epoch: 2 };
  expect(await poll(at, 'a', pause)).toBe(true);
  expect(at.sent).toEqual(['a here left 1', 'a here right 2']);
  at.relay.receive('left', replyTo('a')); // it does not own the run any more
  expect(await poll(at, 'a', pause)).toBe(true);
  at.relay.receive('right', replyTo('a'));
  expect(await poll(at, 'a', pause)).toBe(false);
  expect([at.relay.takeReply(pause), at.relay.takeReply(pause)]).toEqual([{ done: null }, null]);
});

it('Y3 a second request about a task is sent after the reply to the first, or when the first is gone', async () => {
  const at = fixture();
  at.owner = { worker: 'left', epoch: 1 };
  await poll(at, 'a', pause);
  await poll(at, 'b', cancel);
  expect(at.sent).toEqual(['a here left 1']);
  at.relay.receive('left', replyTo('a'));
  await poll(at, 'a', pause);
  await poll(at, 'b', cancel);
  expect(at.sent).toEqual(['a here left 1', 'b here left 1']);
  at.time += 60_000; // a person has removed the file of b
  await poll(at, 'c', pause);
  await poll(at, 'c', pause);
  expect(at.sent.at(-1)).toBe('c here left 1');
});

it('Y3 a task that nobody has claimed is cancelled at once, also while another request waits for somebody to claim it', async () => {
  const at = fixture();
  await poll(at, 'a', pause);
  expect(await poll(at, 'b', cancel)).toBe(true); // somebody was faster, whose claim is not seen yet
  at.isCancelled = true;
  await poll(at, 'b', cancel);
  expect(await poll(at, 'b', cancel)).toBe(false);
  expect(at.relay.takeReply(cancel)).toEqual({ done: null });
  expect(at.sent).toEqual([]);
});

it('Y4 a request that contains a secret is refused, and does not leave this home', async () => {
  const at = fixture();
  at.owner = { worker: 'left', epoch: 1 };
  const note: Intake = { kind: 'note', run: 'far', text: 'the password is hunter2' };
  await poll(at, 'a', note);
  expect(await poll(at, 'a', note)).toBe(false);
  expect(at.relay.takeReply(note)).toMatchObject({ refused: { message: expect.stringContaining('a secret') } });
  expect(at.sent).toEqual([]);
});

it('a request that ended its task awaits the reply, which may come after the result', async () => {
  const at = fixture();
  at.owner = { worker: 'left', epoch: 1 };
  await poll(at, 'a', cancel);
  expect(await poll(at, 'a', cancel, null)).toBe(true); // the result is here, so that the task is not away any more
  at.relay.receive('left', replyTo('a'));
  expect(await poll(at, 'a', cancel, null)).toBe(false);
  expect(at.relay.takeReply(cancel)).toEqual({ done: null });
  expect(await poll(at, 'b', cancel, null)).toBe(false); // not one of a task that is away
});
