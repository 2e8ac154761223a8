import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mustAwaitFleet } from '../../../src/kit/fleet/assert-owned.ts';
import { withHost } from '../../../src/kit/house/host.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { ports } from '../../../src/kit/ports/room-ports.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { receiveRequest } from '../../../src/kit/house/receive-request.ts';
import { readRequests } from '../../../src/kit/requests/read-requests.ts';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import { temporaryFolder } from '../../support/cli.ts';

const answer: Intake = {
  kind: 'answer',
  wait: 'far.ask.0.w0',
  answer: { verdict: 'answered', text: 'yes', by: 'somebody' },
};
const cancel: Intake = { kind: 'cancel', run: 'home' };
const claim = { worker: 'h0', epoch: 1, stream: { name: 's', created: '2026-01-01T00:00:00.000Z' }, sequence: 1 };

it.each(['submitted after a restart', 'recorded by the process that was killed'])(
  'H2 an answer that was %s waits until the run is claimed again, whatever else is requested',
  async (when) => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const requests = join(folder.dir, 'requests');
    await withHost(home, new AbortController().signal, async ({ valuesOf }) => {
      const { ledger, projections } = valuesOf({ ledger: ports.ledger, projections: ports.projections });
      await ledger.append({ type: 'run.claimed', run: 'far', data: claim });
      const id = submit(requests, answer);
      if (when.startsWith('recorded')) await ledger.append({ type: 'intake.received', data: { id, intake: answer } });
      const owned = new Set<string>();
      const member = {
        owned: { isReady: (task: string) => owned.has(task) },
        relay: { isPending: () => false } as never,
      };
      const handled: Intake[] = [];
      const around = {
        ledger,
        projections,
        handle: async (intake: Intake) => {
          handled.push(intake);
          return null;
        },
        mustAwaitFleet: (request: Parameters<typeof mustAwaitFleet>[2]) => mustAwaitFleet(projections, member, request),
        replies: { send: () => undefined },
        handled: { last: null },
      };
      const poll = async (): Promise<void> => {
        for (const taken of readRequests(requests)) await receiveRequest(requests, taken, around);
      };
      await poll();
      submit(requests, cancel);
      await poll();
      expect(handled).toEqual([cancel]);
      expect(readdirSync(requests)).toHaveLength(1);
      owned.add('far');
      await poll();
      await poll();
      expect(handled).toEqual([cancel, answer]);
      expect(readdirSync(requests)).toEqual([]);
    });
  },
);
