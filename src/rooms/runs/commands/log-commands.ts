/** What happened, event by event. */
import { memoryRows } from '../../../core/ledger/memory-rows.ts';
import type { Filter } from '../../../core/ledger/read-events.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Line, Pen } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { changes, knownNow } from '../../../kit/views/changes.ts';
import { listEvents } from '../../../kit/views/events-query.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { describeEvent } from '../../../kit/views/event-sentence.ts';
import { findRunName } from '../../../kit/cli/find-run.ts';
import { choice, flag, number, text } from '../../../kit/cli/options.ts';
import { limit } from '../../../kit/cli/shared-options.ts';

type Options = {
  follow: boolean;
  run: string | undefined;
  type: string | undefined;
  since: number | undefined;
  pen: Pen | undefined;
  limit: number;
};

type LogCall = Call<Options, Data>;

/** `before`: when the event above it happened; null for the first. */
type Data = { event: Line; before: string | null };

export const commands: Commands = {
  log: command({
    summary: 'Show what happened, event by event',
    options: {
      follow: flag('Go on as new events come; Ctrl-C ends it.'),
      run: text('RUN', 'Only this run.'),
      type: text('TYPE', 'Only this type, such as call.ended or run.*'),
      since: number('SEQ', 'Only from this seq on.'),
      pen: choice(['run', 'maintenance'], 'PEN', 'Only the run or the maintenance ledger.'),
      limit,
    },
    example: 'oka log --follow --type run.*',
    run: log,
    /** A line an event, and the day above it when it changes. */
    render: ({ event, before }, terminal) => {
      const { dim } = terminal;
      const line = renderColumns(
        [event],
        [
          {
            text: ({ pen, seq }) => `${pen === 'run' ? ' ' : 'm'}${String(seq).padStart(6)}`,
            width: 7,
            align: 'right',
            style: dim,
          },
          { text: ({ at }) => terminal.toTimeOfDay(at), style: dim },
          { text: ({ run: id }) => id ?? '-', width: 14, style: dim },
          { text: describeEvent, grows: true },
        ],
        terminal,
      );
      const day = terminal.toMinute(event.at).slice(0, 10);
      const isNewDay = before === null || terminal.toMinute(before).slice(0, 10) !== day;
      return isNewDay ? `${dim(day)}\n${line}` : line;
    },
    jsonLines: ({ event }) => [event],
  }),
};

/** A run that is not there yet may still be followed. */
async function wantedRun(call: LogCall): Promise<string | undefined> {
  const { run: wanted } = call.options;
  if (wanted === undefined) return undefined;
  return findRunName(call, wanted).catch((error: unknown) => {
    if (error instanceof OkaError && error.code === 'no-such-run') return wanted;
    throw error;
  });
}

/** At most `limit` events of each ledger from the end. Without a filter no rows are needed. */
async function lastEvents(call: LogCall, pens: readonly Pen[]): Promise<Line[][]> {
  const { home, options, signal } = call;
  const { run: id, type, since, limit } = options;
  const query = { run: id, type, after: Math.max(0, (since ?? 1) - 1), limit };
  const read = (rows: Rows): Promise<Line[][]> =>
    Promise.all(pens.map((pen) => listEvents(rows, home.ledgers, { ...query, pen }, signal)));
  if (id === undefined && type === undefined) return read(memoryRows());
  return (await import('../../../kit/cli/read-views.ts')).readViews(call, read);
}

function filterOf({ run: id, type }: Options): Filter {
  return {
    ...(id === undefined ? {} : { run: id }),
    ...(type === undefined ? {} : { type: type as NonNullable<Filter['type']> }),
  };
}

function emitterOf(call: LogCall): (event: Line) => void {
  let before: string | null = null;
  return (event) => {
    call.emit({ event, before });
    before = event.at;
  };
}

async function log(given: LogCall): Promise<Answer<Data>> {
  const call = { ...given, options: { ...given.options, run: await wantedRun(given) } };
  const { options } = call;
  const pens: Pen[] = options.pen === undefined ? ['run', 'maintenance'] : [options.pen];
  const now = knownNow(call.home.ledgers, pens);
  const past = await lastEvents(call, pens);
  const emit = emitterOf(call);
  const all = past.flat().toSorted((a, b) => a.at.localeCompare(b.at) || a.pen.localeCompare(b.pen) || a.seq - b.seq);
  for (const event of options.limit === 0 ? all : all.slice(-options.limit)) emit(event);
  if (!options.follow) return { code: exits.ok };
  const shown = Object.fromEntries(pens.map((pen, index) => [pen, past[index]?.at(-1)?.seq ?? now[pen] ?? 0]));
  for await (const event of changes(call.home.ledgers, shown, { signal: call.signal, filter: filterOf(options) }))
    emit(event);
  return { code: exits.interrupted };
}
