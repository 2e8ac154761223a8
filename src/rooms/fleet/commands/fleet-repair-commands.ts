/** Setting a fleet up, and repairing it. */
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { renderData } from '../../../kit/cli/render-data.ts';
import { type Backfill, backfillRuns } from '../backfill-runs.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { flag, text } from '../../../kit/cli/options.ts';
import { checkServers } from '../servers/check-servers.ts';
import { retryWhileDown } from '../servers/connect-fleet.ts';
import { openMemberMemory } from '../servers/member-memory.ts';
import { createAgain, findMissing, findStream, openStreams, toStream } from '../servers/fleet-streams.ts';
import { RUNS } from '../servers/fleet-subjects.ts';
import { awaitedMembers } from '../servers/refilled-stream.ts';
import type { Home } from '../../../core/schema/home.ts';
import { type FleetAccess, requireEnvironment, withFleet } from '../fleet-access.ts';

type CreatedFleet = { stream: string; created: string; replicas: number };

export type CreatedAgain = {
  /** Streams that are gone. */
  missing: string[];
  /** Members that have to refill the stream of runs; empty when it is there, and stays as it is. */
  members: string[];
  /** Those that were created; null when nobody wanted it. */
  created: string[] | null;
};

type CreateOptions = {
  /** Null: all that have ever reported. */
  members: string[] | null;
  isWanted: (found: CreatedAgain) => Promise<boolean>;
};

type Options = { again: boolean; members: string | undefined; yes: boolean };

type CreateData = CreatedFleet | CreatedAgain;

const MOST_SHOWN = 20;

export const commands: Commands = {
  'fleet create': command({
    summary: 'Create the streams of a new fleet, once, as its administrator; exit 1 if nobody confirms --again',
    options: {
      again: flag('Create streams that are gone; every member then has to refill the stream of runs.'),
      members: text('NAMES', 'Who has to refill it, such as laptop,desktop; by default all that have ever reported.'),
      yes: flag('Do not ask.'),
    },
    example: 'oka fleet create',
    run: fleetCreate,
    render: (data, terminal) => {
      if ('stream' in data) return renderData(data, terminal);
      const { missing, members, created } = data;
      if (missing.length === 0 && members.length === 0) return 'No stream of the fleet is missing.\n';
      if (created === null) return `${describeFound(data)}\nNothing was changed. Do it: add --yes\n`;
      const next = members.length === 0 ? 'each home that has sent tasks' : members.join(', ');
      return `Created: ${created.join(', ') || 'nothing'}. Now stop the worker and give this at ${next}: oka fleet backfill\n`;
    },
  }),
  'fleet backfill': command({
    summary:
      'Refill the stream of the fleet from the ledger of this home; shows what is missing first; exit 1 if not all is there then',
    operands: '[run]',
    options: { yes: flag('Do not ask.') },
    example: 'oka fleet backfill',
    /** Exit 1 when not all of it was done: nobody wanted it, or another member was faster. */
    run: async (call) => {
      const { home, operands, notify, signal, progress } = call;
      const [only, ...more] = operands;
      if (more.length > 0)
        throw new OkaError('usage', 'name one run, or none for all of this home', { fix: 'oka fleet backfill' });
      const shown = progress('comparing and sending', 'runs');
      const isWanted = async (found: Backfill): Promise<boolean> => {
        shown.end();
        notify(describeBackfill(found));
        return isBackfillConfirmed(call);
      };
      const done = await backfillRuns(home, { only, isWanted, reach: shown.reach, signal, notify });
      shown.end();
      const isAll = done.refilled.length === done.damaged.length && done.sent.length === done.lost.length;
      return answer(done, signal.aborted ? exits.interrupted : isAll && !done.isLeft ? exits.ok : exits.no);
    },
    render: (data, { width }) => {
      const { stream, isNew, compared, damaged, lost, isLeft, refilled, refused, sent } = data;
      if (!isNew && damaged.length === 0 && lost.length === 0)
        return `${count(compared, 'run')} of this home in ${stream}: nothing is missing.\n`;
      const lines = damaged.slice(0, MOST_SHOWN).map(({ run, why }) => fitText(plainText(`  ${run}: ${why}`), width));
      const rest = damaged.length > MOST_SHOWN ? [`  and ${damaged.length - MOST_SHOWN} more`] : [];
      const outcome = isLeft
        ? ['Nothing was changed. Do it: add --yes']
        : [
            `Refilled ${count(refilled.length, 'run')}, and sent ${count(sent.length, 'task')} again.`,
            ...(refused.length === 0 ? [] : [`Another member has claimed meanwhile: ${refused.join(', ')}`]),
          ];
      return `${[describeBackfill(data), ...lines, ...rest, ...outcome].join('\n')}\n`;
    },
  }),
};

function describeFound({ missing, members }: CreatedAgain): string {
  const lost =
    missing.length === 0
      ? 'No stream is missing.'
      : `${missing.join(', ')} would be created, empty: if there is a backup of the servers, restore that instead.`;
  if (members.length === 0) return `${lost} Homes send lost tasks again with: oka fleet backfill`;
  return `${lost} No run is claimed until ${members.join(', ')} have refilled the stream of runs. What a member has done that is not among them is not known any more, and may be done again.`;
}

async function isConfirmed({ options, openDialog }: Call<Options, CreateData>): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask('Create them? [y/N] '));
}

async function fleetCreate(call: Call<Options, CreateData>): Promise<Answer<CreateData>> {
  const { home, options, notify } = call;
  const members = options.members?.split(',').map((name) => name.trim()) ?? null;
  if (!options.again && members !== null)
    throw new OkaError('usage', '--members is for streams that are created again', { fix: 'Add --again.' });
  if (!options.again) return answer(await createFleet(home));
  const isWanted = async (found: CreatedAgain): Promise<boolean> => {
    notify(describeFound(found));
    return isConfirmed(call);
  };
  const done = await createFleetAgain(home, { members, isWanted });
  return answer(done, done.created === null ? exits.no : exits.ok);
}

function describeBackfill({ stream, isNew, compared, damaged, lost }: Backfill): string {
  const events = damaged.reduce((sum, each) => sum + each.events, 0);
  return [
    isNew ? `${stream} was created again, and awaits this home.` : `${stream} has lost messages.`,
    `To refill: ${damaged.length} of ${count(compared, 'run')} of this home, with ${count(events, 'event')}.`,
    `To send again: ${count(lost.length, 'task')} without a result that the queue does not have.`,
  ].join(' ');
}

async function isBackfillConfirmed({ options, openDialog }: Call<{ yes: boolean }, Backfill>): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask('Do it? [y/N] '));
}

/**
 * What exists stays as it is; a stream that this home knows, and that is gone, is not created again. Servers that have
 * just been started do not answer yet.
 */
async function createFleet(home: Home): Promise<CreatedFleet> {
  requireEnvironment();
  return retryWhileDown(() => createStreams(home));
}

function createStreams(home: Home): Promise<CreatedFleet> {
  return withFleet(home, async (access) => {
    const { connection, environment, known } = access;
    const { replicas, monitors } = environment;
    await checkServers(monitors, replicas);
    const { name, created } = await openStreams(connection, { replicas, known: known.joined });
    await createRest(access);
    return { stream: name, created, replicas };
  });
}

/** Creates the streams that are gone. A stream of runs has to be refilled before anything is claimed in it. */
async function createFleetAgain(home: Home, { members: given, isWanted }: CreateOptions): Promise<CreatedAgain> {
  return withFleet(home, async (access) => {
    const { connection, environment, known } = access;
    const { replicas, monitors } = environment;
    await checkServers(monitors, replicas);
    const missing = await findMissing(connection);
    const runs = await findStream(connection, RUNS);
    const isOther = runs === null || (known.joined !== null && known.joined.created !== toStream(runs).created);
    const isAwaiting = runs !== null && awaitedMembers(runs) !== null;
    const members = given ?? (isOther && !isAwaiting ? await reportedMembers(access) : []);
    const found: CreatedAgain = { missing, members, created: [] };
    if (missing.length === 0 && members.length === 0) return found;
    if (!(await isWanted(found))) return { ...found, created: null };
    await createAgain(connection, { replicas, members });
    await createRest(access);
    return { ...found, created: missing };
  });
}

async function reportedMembers({ openMembers }: FleetAccess): Promise<string[]> {
  const names = (await (await openMembers()).list()).map(({ name }) => name);
  if (names.length > 0) return names;
  throw new OkaError('usage', 'the servers do not know the members of the fleet any more', {
    fix: 'Name all homes that have worked in it: oka fleet create --again --members laptop,desktop',
  });
}

async function createRest({ connection, environment, openMembers, queue }: FleetAccess): Promise<void> {
  const { replicas } = environment;
  await openMembers();
  await openMemberMemory(connection, replicas);
  await queue.depth(); // creates what members take tasks with
}
