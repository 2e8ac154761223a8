/** Acts on many runs at once. */
import { type Choice, performBulk, previewBulk, REQUESTS_AT_ONCE } from '../bulk-acts.ts';
import { memberName } from '../../../kit/fleet/given-runs.ts';
import { repeatRun } from '../repeat-run.ts';
import { withHost } from '../../../kit/cli/host-here.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { BulkAct, BulkOutcome, BulkPreview } from '../../../core/schema/bulk.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import { answerOf } from '../../../core/schema/room.ts';
import {
  type Answer,
  answer,
  type Call,
  type Command,
  command,
  type Commands,
  exits,
} from '../../../kit/cli/command-module.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import type { Host } from '../../../kit/house/host.ts';
import { flag, text } from '../../../kit/cli/options.ts';
import { runFilterOf, runFilterOptions, type RunFilterValues } from '../../../kit/cli/run-filter-options.ts';

type Options = RunFilterValues & { member?: string | undefined; yes: boolean };
type Data = { preview: BulkPreview; outcomes: BulkOutcome[] | null };

const act = (name: BulkAct, summary: string, example: string, family = 'runs'): Command =>
  command({
    summary,
    operands: '[run…]',
    options: {
      ...runFilterOptions,
      member: text('MEMBER', 'Only what this member of the fleet works on, or has done.'),
      yes: flag('Do not ask first.'),
    },
    example: `oka ${family} ${name} ${example}`,
    run: (call) => actOnRuns(call, name),
    render,
    jsonLines: ({ preview, outcomes }: Data) => outcomes ?? [preview],
  });

export const commands: Commands = {
  'runs archive': act('archive', 'Hide finished runs from lists; nothing is deleted', '--until 30d'),
  'runs unarchive': act('unarchive', 'Show archived runs in lists again', 'report-1a2b3c4d'),
  'runs pin': act('pin', 'Show runs first in lists', 'report-1a2b3c4d'),
  'runs unpin': act('unpin', 'Show runs at their own place in lists again', 'report-1a2b3c4d'),
  'runs cancel': act('cancel', 'End all runs that fit for good', '--status blocked --until 7d'),
  'runs pause': act('pause', 'Pause all runs that fit', '--tag sales'),
  'runs resume': act('resume', 'Continue all runs that fit', '--status paused'),
  'runs again': act('again', 'Do all runs that fit once more', '--status failed --since 1d'),
  'runs undo': act(
    'undo',
    'Undo what all runs that fit changed on the desk, the latest first',
    '--tag sales --since 1d',
  ),
  'fleet cancel': act(
    'cancel',
    'The same as oka runs cancel: also what others do for this home',
    '--member h1',
    'fleet',
  ),
  'fleet again': act(
    'again',
    'The same as oka runs again: what others did is given away again',
    '--status failed',
    'fleet',
  ),
};

/** Acts on the runs that are named, or on all that fit the options, once the person has seen which these are. */
async function actOnRuns(call: Call<Options, Data>, act: BulkAct): Promise<Answer<Data>> {
  const choice = await chooseRuns(call, act);
  const preview = await readViews(call, (rows) => previewBulk(call.home, rows, act, choice));
  if (preview.count === 0 || !(await isConfirmed(call, preview)))
    return answer({ preview, outcomes: null }, preview.count === 0 && isAllSoAlready(preview) ? exits.ok : exits.no);
  const request = { act, runs: preview.runs.map(({ run: name }) => name), token: preview.token };
  const outcomes: BulkOutcome[] = [];
  const progress = call.progress(VERBS[act], 'runs');
  await withRequests(call, async (submit, atOnce) => {
    const repeat = (name: string): Promise<unknown> => repeatRun(call.home, name, submit);
    for await (const outcome of performBulk(request, { request: submit, repeat, atOnce })) {
      outcomes.push(outcome);
      progress.reach(outcomes.length, preview.count);
      if (call.signal.aborted) return;
    }
  }).finally(() => progress.end());
  if (call.signal.aborted) return { code: exits.interrupted };
  return answer({ preview, outcomes }, outcomes.some(({ outcome }) => outcome === 'failed') ? exits.no : exits.ok);
}

async function chooseRuns(call: Call<Options, Data>, act: BulkAct): Promise<Choice> {
  const filter = runFilterOf(call.options);
  const { member } = call.options;
  const isFiltered = Object.keys(filter).length > 0 || member !== undefined;
  if (member !== undefined && memberName(call.home) === null)
    throw new OkaError('usage', '--member chooses by who works on a task, and this home is in no fleet', {
      fix: 'Leave it out, or start the worker with OKA_FLEET (docs/FLEET.md).',
    });
  if (call.operands.length === 0 && !isFiltered)
    throw new OkaError('usage', 'say which runs: by name, or by options such as --status failed', {
      fix: `Such as: oka runs ${act} report-1a2b3c4d, or: oka runs ${act} --since 7d --text report`,
    });
  if (call.operands.length === 0) return { filter, member };
  if (isFiltered) throw new OkaError('usage', 'runs are chosen either by name or by options, not by both');
  const runs: string[] = [];
  for (const given of call.operands) runs.push(await findRunName(call, given));
  return { runs };
}

/** One run that was named needs no question. */
async function isConfirmed(
  { operands, options, openDialog }: Call<Options, Data>,
  { act, count: runs }: BulkPreview,
): Promise<boolean> {
  if (options.yes || (operands.length === 1 && act !== 'undo')) return true;
  if (openDialog === null) return false;
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`${VERBS[act]} ${count(runs, 'run')}? [y/N] `));
}

const isAllSoAlready = ({ left_out: leftOut }: BulkPreview): boolean =>
  leftOut.every((each) => each.so_already === true);

type Submit = (intake: Intake) => Promise<unknown>;

type BulkWork = (submit: Submit, atOnce: number) => Promise<void>;

/** Whoever has the pen is asked for each; where nobody has it, all of them are done here, and what goes on does so to its end. */
async function withRequests(call: Call<Options, Data>, work: BulkWork): Promise<void> {
  const { home, signal, notify } = call;
  const ask = (): Promise<void> => work((intake) => carryOut(call, intake), REQUESTS_AT_ONCE);
  if (penHolder(home.ledgers.run) !== null) return ask();
  const here = async ({ handle, engine }: Host): Promise<void> => {
    await work(async (intake) => answerOf(await handle(intake)), 1);
    await engine.whenIdle();
  };
  await withHost(home, signal, here, { warn: notify }).catch((error: unknown) => {
    if (error instanceof OkaError && error.code === 'pen-held') return ask();
    throw error;
  });
}

const VERBS: Readonly<Record<BulkAct, string>> = {
  cancel: 'Cancel',
  pause: 'Pause',
  resume: 'Resume',
  again: 'Do again',
  undo: 'Undo',
  archive: 'Archive',
  unarchive: 'Unarchive',
  pin: 'Pin',
  unpin: 'Unpin',
};

function render({ preview, outcomes }: Data, terminal: Terminal): string {
  const { act, count: runs, left_out: leftOut, complete } = preview;
  const lines = outcomes === null ? preview.runs.map(renderChosen) : [];
  if (outcomes === null && runs === 0 && leftOut.length > 0 && isAllSoAlready(preview))
    return leftOut.map(({ run: name, why }) => `${name}: ${why}\n`).join('');
  const failed = (outcomes ?? []).filter(({ outcome }) => outcome === 'failed');
  const asBefore = (outcomes ?? []).filter(({ outcome, message }) => outcome === 'done' && message !== undefined);
  const changed = (outcomes ?? []).length - failed.length - asBefore.length;
  const queued = (outcomes ?? []).filter(({ outcome }) => outcome === 'queued').length;
  return [
    ...(outcomes === null || (changed === 0 && asBefore.length > 0) ? [] : [`${VERBS[act]}: ${count(changed, 'run')}`]),
    ...asBefore.map(({ run: name, message = '' }) => `${name}: ${plainText(message)}`),
    ...(queued === 0 ? [] : [`The worker still has to do ${count(queued, 'run')}.`]),
    ...failed.map(({ run: name, message = '' }) => `  ${terminal.red('failed')}  ${name}: ${plainText(message)}`),
    ...(outcomes !== null ? [] : [`${VERBS[act]} would act on ${count(runs, 'run')}:`, ...lines]),
    ...leftOut.map(({ run: name, why }) => `  ${terminal.dim('left out')}  ${name}: ${why}`),
    ...(complete ? [] : ['There are more; these are the latest. Repeat the command for the others.']),
    ...(outcomes === null && runs > 0 ? ['Do it: add --yes'] : []),
    '',
  ].join('\n');
}

function renderChosen({ run, title, member }: BulkPreview['runs'][number]): string {
  const where = member === undefined ? '' : member === null ? '  (in the queue of the fleet)' : `  (at ${member})`;
  return `  ${run}  ${plainText(title)}${where}`;
}
