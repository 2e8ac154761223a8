/** Acts on many runs at once. */
import type { BulkAct } from '../../../core/schema/bulk.ts';
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, text } from '../../../kit/cli/options.ts';
import { runFilterOptions } from '../../../kit/cli/run-filter-options.ts';

const act = (name: BulkAct, summary: string, example: string, family = 'runs'): Command =>
  command({
    summary,
    operands: '[run…]',
    options: {
      ...runFilterOptions,
      member: text('MEMBER', 'Only what this member of the fleet works on, or has done.'),
      yes: flag('Do not ask first.'),
    },
    json: true,
    example: `oka ${family} ${name} ${example}`,
    load: async () => (await import('./act-on-runs.ts')).actOnRuns(name),
  });

export const bulk: Readonly<Record<string, Command>> = {
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
