/**
 * Owns: taking over a run from the stream, from a member that is gone, or was silent for too long; this one may have
 * owned it before.
 *
 * T1 The claim, with the range and hash of what was taken over, is in this ledger before the copies of the events. What
 *    the ledger has of the run from before the claim does not count any more (fleet-runs.ts).
 * T2 Calls that were intended and have no outcome are in doubt, whatever this machine finds: the member before may have
 *    made them, and one that wakes up may still make the call that it had intended.
 *    Of such calls nobody asks before that member can let nothing more out: it asks the fence first when it wakes
 *    (confirmed-claims.ts). What it had sent before may still take effect, which the question says.
 * T3 The folder of the run is restored as it was after the last call whose outcome is in the stream, before the claim is in
 *    the ledger: after a crash in between the run is taken over again.
 */
import { hash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim } from './servers/run-fence.ts';
import type { RunHistory, StoredEvent } from './servers/run-owner.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import { upgradeLine } from '../../core/schema/upgrade.ts';
import { placeTaskFiles } from '../../kit/desk/place-task-files.ts';
import { dropResultsOf } from '../../kit/sandbox/launch-witness.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import { callsFolder } from '../../kit/sandbox/sandbox.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { quietAfterMs } from './confirmed-claims.ts';
import type { FleetMember } from './fleet-member.ts';
import { makeTaskFolder } from './accept-sent.ts';
import { readFolder, withFetched } from './run-folder.ts';

/** States of the desk are in the store of the member before; what a fleet records is about that member. */
export const NOT_COPIED = new Set<string>([
  'desk.kept',
  'run.claimed',
  'run.fenced',
  'fleet.joined',
  'task.sent',
  'task.asked',
  'task.returned',
]);

export const hasStarted = ({ events }: RunHistory, run: string): boolean =>
  events.some((event) => event.type === 'run.started' && event.run === run);

/** Resolves with the moment from which on nothing of its calls in doubt leaves the owner before; null where there are none. */
export async function takeOver(host: Host, member: FleetMember, run: string, claim: Claim): Promise<number | null> {
  const { history, fence, sequence } = claim;
  const events = history.events as unknown as Event[];
  const copies = events.filter(({ type }) => !NOT_COPIED.has(type)).map(toCopy);
  const inDoubt = openCalls(events);
  const quiet = inDoubt.length === 0 ? null : Date.now() + quietAfterMs(member.ackWaitMs);
  const { heard } = history;
  const from = {
    worker: history.owner?.worker ?? member.name,
    first: history.first,
    last: history.last,
    events: events.length,
    sha256: hashOf(history.events),
    copied: copies.length,
    in_doubt: inDoubt,
    ...(heard !== null && { heard }),
    ...(quiet !== null && { quiet: new Date(quiet).toISOString() }),
  };
  const { worker, epoch } = fence.owner;
  const claimed = { worker, epoch, stream: member.log.stream, sequence, from };
  await restoreFolder(host, member, run, history.desk, async (kept) => {
    dropResultsOf(callsFolder(host.home), run);
    await member.ownLedger.append([{ type: 'run.claimed', run, data: claimed }, ...copies, ...kept]);
  });
  member.owned.add(fence);
  member.owned.learn(events);
  return quiet;
}

const toCopy = (event: Event): NewEvent => {
  const { type, run, data } = upgradeLine(event);
  return { type, run, data } as NewEvent;
};

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

/**
 * Nothing writes to the desk meanwhile, and no command of an earlier claim is left. The restored files count as changes of
 * the run, so that its result names them and undo removes them.
 */
async function restoreFolder(
  host: Host,
  { files }: FleetMember,
  run: string,
  desk: string | null,
  record: (kept: NewEvent[]) => Promise<void>,
): Promise<void> {
  const { shadow, deskTurn } = host.valuesOf({ shadow: ports.shadow, deskTurn: ports.deskTurn });
  const folder = join(deskFolder(host.home), run);
  const list = desk === null ? [] : await readFolder(desk, files);
  await withFetched(join(host.home.oka, 'state'), list, files, (bundle) =>
    deskTurn(async () => {
      const before = await shadow.snapshot(`before the takeover of ${run}`);
      if (existsSync(folder)) rmSync(folder, { recursive: true });
      if (list.length === 0) makeTaskFolder(host, run);
      else placeTaskFiles({ id: run, ...bundle }, deskFolder(host.home));
      const after = await shadow.snapshot(`after the takeover of ${run}`);
      const kept = (when: 'before' | 'after', { tree }: { tree: string }): NewEvent => ({
        type: 'desk.kept',
        run,
        data: { call: `${run}.takeover`, node: null, when, tree },
      });
      await record(before.tree === after.tree ? [] : [kept('before', before), kept('after', after)]);
    }),
  );
}
