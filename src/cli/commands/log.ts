import { rangeOfRun } from '../../daemon/views/open-views.ts';
import { type Filter, followEvents, readEvents } from '../../ledger/read.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import type { Line, Pen } from '../../schema/event.ts';
import { renderColumns } from '../columns.ts';
import { type Answer, type Call, exits } from '../command-module.ts';
import { describeEvent } from '../event-sentence.ts';
import type { Terminal } from '../io.ts';

type Options = {
  follow: boolean;
  run: string | undefined;
  type: string | undefined;
  since: number | undefined;
  pen: Pen | undefined;
  limit: number;
};
type LogCall = Call<Options, Data>;
type Data = { event: Line; isNewDay: boolean };

export async function run(call: LogCall): Promise<Answer<Data>> {
  const { options } = call;
  const pens: Pen[] = options.pen === undefined ? ['run', 'maintenance'] : [options.pen];
  const past = await Promise.all(pens.map((pen) => lastEvents(call, pen)));
  const emit = emitterOf(call);
  const all = past.flat().toSorted((a, b) => a.at.localeCompare(b.at) || a.pen.localeCompare(b.pen) || a.seq - b.seq);
  for (const event of options.limit === 0 ? all : all.slice(-options.limit)) emit(event);
  if (!options.follow) return { code: exits.ok };
  await Promise.all(pens.map((pen, index) => follow(call, pen, past[index]?.at(-1)?.seq, emit)));
  return { code: exits.interrupted };
}

export const jsonLines = ({ event }: Data): Line[] => [event];

/** A line an event, and the day above it when it changes. */
export function render({ event, isNewDay }: Data, terminal: Terminal): string {
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
      { text: ({ at }) => at.slice(11, 19), style: dim },
      { text: ({ run: id }) => id ?? '-', width: 14, style: dim },
      { text: describeEvent, grows: true },
    ],
    terminal,
  );
  return isNewDay ? `${dim(event.at.slice(0, 10))}\n${line}` : line;
}

async function follow(
  { home, options, signal }: LogCall,
  pen: Pen,
  last: number | undefined,
  emit: (event: Line) => void,
) {
  const file = home.ledgers[pen];
  const from = (last ?? lastSeqOf(file)) + 1;
  for await (const event of followEvents(file, { ...filterOf(options), from }, signal)) emit(event);
}

/** At most `limit` events from the end; without a filter, or with that of a run, little else is read. */
async function lastEvents({ home, options, signal }: LogCall, pen: Pen): Promise<Line[]> {
  const { limit } = options;
  const file = home.ledgers[pen];
  const filter = filterOf(options);
  const isUnfiltered = filter.run === undefined && filter.type === undefined && limit > 0;
  const range = filter.run === undefined || pen !== 'run' ? { from: 1 } : await rangeOfRun(home, filter.run);
  const from = Math.max(options.since ?? 1, isUnfiltered ? lastSeqOf(file) - limit + 1 : range.from);
  const events: Line[] = [];
  for await (const event of readEvents(file, { ...filter, ...range, from })) {
    events.push(event);
    if (limit > 0 && events.length > 2 * limit) events.splice(0, events.length - limit);
    if (signal.aborted) break;
  }
  return limit > 0 ? events.slice(-limit) : events;
}

function filterOf({ run: id, type }: Options): Filter {
  return {
    ...(id === undefined ? {} : { run: id }),
    ...(type === undefined ? {} : { type: type as NonNullable<Filter['type']> }),
  };
}

function emitterOf(call: LogCall): (event: Line) => void {
  let day = '';
  return (event) => {
    const isNewDay = event.at.slice(0, 10) !== day;
    day = event.at.slice(0, 10);
    call.emit({ event, isNewDay });
  };
}
