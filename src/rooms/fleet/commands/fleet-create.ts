import { type CreatedAgain, type CreatedFleet, createFleet, createFleetAgain } from '../create-fleet.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { renderData } from '../../../kit/cli/render-data.ts';

type Options = { again: boolean; members: string | undefined; yes: boolean };
type Data = CreatedFleet | CreatedAgain;

export async function run(call: Call<Options, Data>): Promise<Answer<Data>> {
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

export function render(data: Data, terminal: Terminal): string {
  if ('stream' in data) return renderData(data, terminal);
  const { missing, members, created } = data;
  if (missing.length === 0 && members.length === 0) return 'No stream of the fleet is missing.\n';
  if (created === null) return `${describeFound(data)}\nNothing was changed. Do it: add --yes\n`;
  const next = members.length === 0 ? 'each home that has sent tasks' : members.join(', ');
  return `Created: ${created.join(', ') || 'nothing'}. Now stop the worker and give this at ${next}: oka fleet backfill\n`;
}

function describeFound({ missing, members }: CreatedAgain): string {
  const lost =
    missing.length === 0
      ? 'No stream is missing.'
      : `${missing.join(', ')} would be created, empty: if there is a backup of the servers, restore that instead.`;
  if (members.length === 0) return `${lost} Homes send lost tasks again with: oka fleet backfill`;
  return `${lost} No run is claimed until ${members.join(', ')} have refilled the stream of runs. What a member has done that is not among them is not known any more, and may be done again.`;
}

async function isConfirmed({ options, openDialog }: Call<Options, Data>): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask('Create them? [y/N] '));
}
