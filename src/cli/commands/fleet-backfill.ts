import { type Backfill, backfillRuns } from '../../daemon/fleet/backfill-runs.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { count, fitText, plainText } from '../plain-text.ts';

/** Exit 1 when nothing was done, or not all of it: nobody wanted it, or another member was faster. */
export async function run(call: Call<{ yes: boolean }, Backfill>): Promise<Answer<Backfill>> {
  const { home, operands, notify, signal, progress } = call;
  const [only, ...more] = operands;
  if (more.length > 0)
    throw new OkaError('usage', 'name one run, or none for all of this home', { fix: 'oka fleet backfill' });
  const shown = progress('comparing and sending', 'runs');
  const isWanted = async (found: Backfill): Promise<boolean> => {
    shown.end();
    notify(describeFound(found));
    return isConfirmed(call);
  };
  const done = await backfillRuns(home, { only, isWanted, reach: shown.reach, signal });
  shown.end();
  const isAll = done.refilled?.length === done.damaged.length;
  return answer(done, signal.aborted ? exits.interrupted : isAll ? exits.ok : exits.no);
}

const MOST_SHOWN = 20;

export function render(data: Backfill, { width }: Terminal): string {
  const { stream, compared, damaged, refilled, refused } = data;
  if (damaged.length === 0) return `${count(compared, 'run')} of this home in ${stream}: nothing is missing.\n`;
  const lines = damaged.slice(0, MOST_SHOWN).map(({ run, why }) => fitText(plainText(`  ${run}: ${why}`), width));
  const rest = damaged.length > MOST_SHOWN ? [`  and ${damaged.length - MOST_SHOWN} more`] : [];
  const outcome =
    refilled === null
      ? ['Nothing was changed. Refill them: add --yes']
      : [
          `Refilled ${count(refilled.length, 'run')}.`,
          ...(refused.length === 0 ? [] : [`Another member has claimed meanwhile: ${refused.join(', ')}`]),
        ];
  return `${[describeFound(data), ...lines, ...rest, ...outcome].join('\n')}\n`;
}

function describeFound({ stream, compared, damaged }: Backfill): string {
  const events = damaged.reduce((sum, each) => sum + each.events, 0);
  return `${damaged.length} of ${count(compared, 'run')} of this home are damaged in ${stream}; their ${count(events, 'event')} would be sent again.`;
}

async function isConfirmed({ options, openDialog }: Call<{ yes: boolean }, Backfill>): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask('Refill them? [y/N] '));
}
