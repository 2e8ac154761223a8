/** Options that choose runs, for the list of them and for acts on many at once. */
import { OkaError } from '../../core/schema/errors.ts';
import type { RunKind, RunStatus } from '../../core/schema/run.ts';
import { parseMoment, parseSince } from './option-values.ts';
import { type OptionValues, parsedText, text } from './options.ts';

/** Listed here as well as in the schemas, which would cost every command the time to load them. */
const STATUSES = ['running', 'blocked', 'paused', 'done', 'failed', 'cancelled'] as const satisfies RunStatus[];
const KINDS = ['task', 'schedule', 'graph', 'correction', 'rerun', 'install', 'child'] as const satisfies RunKind[];

export const runFilterOptions = {
  status: parsedText('STATUS', 'Only runs with this status, such as failed or running,blocked.', (given, name) =>
    severalOf(STATUSES, given, name),
  ),
  kind: parsedText('KIND', `Only runs of this kind: ${KINDS.join(', ')}.`, (given, name) =>
    severalOf(KINDS, given, name),
  ),
  tag: text('TAG', 'Only tasks with this tag.'),
  schedule: text('SCHEDULE', 'Only runs of this schedule.'),
  text: text('WORDS', 'Only runs whose title or name has these words, or words that begin so.'),
  since: parsedText('DAY', 'Only runs that started since this day, or in the last days: 2026-01-31, 7d.', parseSince),
  until: parsedText('DAY', 'Only runs that started before this day, or before the last days.', parseMoment),
  'min-cost': parsedText('USD', 'Only runs that cost at least this.', parseMoney),
  'max-cost': parsedText('USD', 'Only runs that cost at most this.', parseMoney),
};

export type RunFilterValues = OptionValues<typeof runFilterOptions>;

/** The filter of a query, from the values of the options; what was not given is left out. */
export function runFilterOf(values: RunFilterValues): object {
  const { status, kind, tag, schedule, text: words, since, until, minCost, maxCost } = values;
  const fields = { status, kind, tag, schedule, text: words, since, until, min_cost: minCost, max_cost: maxCost };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function severalOf<const Choice extends string>(choices: readonly Choice[], given: string, name: string): Choice[] {
  return given.split(',').map((each) => {
    const found = choices.find((choice) => choice === each.trim());
    if (found !== undefined) return found;
    throw new OkaError('usage', `--${name} is one or more of ${choices.join(', ')}, not "${each.trim()}"`, {
      fix: `Separate several with commas: --${name} ${choices.slice(0, 2).join(',')}`,
    });
  });
}

function parseMoney(given: string, name: string): number {
  if (/^\d{1,9}(\.\d{1,6})?$/.test(given)) return Number(given);
  throw new OkaError('usage', `--${name} is an amount of US dollars such as 0.50, not "${given}"`);
}
