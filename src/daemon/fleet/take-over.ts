/**
 * Owns: taking over a run from a member that is gone, or was silent for too long.
 *
 * T1 The claim, with the range and hash of what was taken over, is in this ledger before the copies of the events.
 * T2 Calls that were intended and have no outcome are in doubt, whatever this machine finds: the member before may have
 *    made them, and one that wakes up may still make the call that it had intended.
 * T3 The folder of the run is restored as it was after the last call whose outcome is in the stream.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Claim } from '../../fleet/run-fence.ts';
import type { StoredEvent } from '../../fleet/run-owner.ts';
import type { Event, NewEvent } from '../../schema/event.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Host } from '../host.ts';
import { ports } from '../room-ports.ts';
import type { FleetMember } from './fleet-member.ts';
import { makeTaskFolder } from './accept-sent.ts';
import { placeFolder, readFolder, withFetched } from './run-folder.ts';

/** States of the desk are in the store of the member before; what a fleet records is about that member. */
const NOT_COPIED = new Set(['desk.kept', 'run.claimed', 'run.fenced', 'fleet.joined', 'task.sent', 'task.returned']);

export async function takeOver(host: Host, member: FleetMember, run: string, claim: Claim): Promise<void> {
  const { history, fence, sequence } = claim;
  const events = history.events as unknown as Event[];
  const copies = events.filter(({ type }) => !NOT_COPIED.has(type)).map(toCopy);
  const from = {
    worker: history.owner?.worker ?? member.name,
    first: history.first,
    last: history.last,
    events: events.length,
    sha256: hashOf(history.events),
    copied: copies.length,
    in_doubt: openCalls(events),
  };
  const { worker, epoch } = fence.owner;
  const stream = member.log.stream;
  await member.ownLedger.append([
    { type: 'run.claimed', run, data: { worker, epoch, stream, sequence, from } },
    ...copies,
  ]);
  member.owned.add(fence);
  member.owned.learn(events);
  if (history.desk === null) makeTaskFolder(host, run);
  else await restoreFolder(host, member, run, { desk: history.desk, epoch });
}

const toCopy = ({ type, run, data }: Event): NewEvent => ({ type, run, data }) as NewEvent;

const hashOf = (events: readonly StoredEvent[]): string =>
  hash('sha256', events.map((event) => `${JSON.stringify(event)}\n`).join(''));

function openCalls(events: readonly Event[]): string[] {
  const open = new Set<string>();
  for (const { type, data } of events) {
    if (type === 'call.started') open.add(data.call);
    if (type === 'call.ended') open.delete(data.call);
  }
  return [...open];
}

/** The restored files count as changes of the run, so that its result names them and undo removes them. */
async function restoreFolder(
  host: Host,
  { files }: FleetMember,
  run: string,
  { desk, epoch }: { desk: string; epoch: number },
): Promise<void> {
  const { shadow, deskTurn, ledger } = host.valuesOf({
    shadow: ports.shadow,
    deskTurn: ports.deskTurn,
    ledger: ports.ledger,
  });
  const call = `${run}.takeover.${epoch}`;
  const list = await readFolder(desk, files);
  await withFetched(join(host.home.oka, 'state'), list, files, (bundle) =>
    deskTurn(async () => {
      const before = await shadow.snapshot(`before ${call}`);
      placeFolder(run, bundle, deskFolder(host.home), () => undefined);
      const after = await shadow.snapshot(`after ${call}`);
      await ledger.append([
        { type: 'desk.kept', run, data: { call, node: null, when: 'before', tree: before.tree } },
        { type: 'desk.kept', run, data: { call, node: null, when: 'after', tree: after.tree } },
      ]);
    }),
  );
}
