import { type Backfill, backfillRuns } from '../backfill-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';

/** Exit 1 when not all of it was done: nobody wanted it, or another member was faster. */
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
  const isAll = done.refilled.length === done.damaged.length && done.sent.length === done.lost.length;
  return answer(done, signal.aborted ? exits.interrupted : isAll && !done.isLeft ? exits.ok : exits.no);
}

const MOST_SHOWN = 20;

export function render(data: Backfill, { width }: Terminal): string {
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
  return `${[describeFound(data), ...lines, ...rest, ...outcome].join('\n')}\n`;
}

function describeFound({ stream, isNew, compared, damaged, lost }: Backfill): string {
  const events = damaged.reduce((sum, each) => sum + each.events, 0);
  return [
    isNew ? `${stream} was created again, and awaits this home.` : `${stream} has lost messages.`,
    `To refill: ${damaged.length} of ${count(compared, 'run')} of this home, with ${count(events, 'event')}.`,
    `To send again: ${count(lost.length, 'task')} without a result that the queue does not have.`,
  ].join(' ');
}

async function isConfirmed({ options, openDialog }: Call<{ yes: boolean }, Backfill>): Promise<boolean> {
  if (options.yes) return true;
  if (openDialog === null) return false;
  return /^y(es)?$/i.test(await (await openDialog()).ask('Do it? [y/N] '));
}
