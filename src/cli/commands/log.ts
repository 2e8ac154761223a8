import { type Filter, followEvents, readEvents } from '../../ledger/read.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Line, Pen } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { storyOf } from '../story.ts';
import { dim, fitted, WIDTH } from '../terminal.ts';

const DEFAULT_LIMIT = 50;

export async function run(call: Call): Promise<number> {
  const pens = pensOf(call.text('pen'));
  const past = await Promise.all(pens.map((pen) => lastEvents(call, pen)));
  const show = printer(call);
  const shown = past.flat().toSorted((a, b) => a.at.localeCompare(b.at) || a.pen.localeCompare(b.pen) || a.seq - b.seq);
  for (const line of limitOf(call) === 0 ? shown : shown.slice(-limitOf(call))) show(line);
  if (!call.flag('follow')) return exits.ok;
  await Promise.all(pens.map((pen, index) => follow(call, pen, past[index]?.at(-1)?.seq, show)));
  return exits.interrupted;
}

async function follow(call: Call, pen: Pen, lastShown: number | undefined, show: (line: Line) => void): Promise<void> {
  const from = (lastShown ?? lastSeqOf(call.home.ledgers[pen])) + 1;
  for await (const line of followEvents(call.home.ledgers[pen], { ...filterOf(call), from }, call.signal)) show(line);
}

/** At most `limit` events from the end; without a filter nothing before them is read. */
async function lastEvents(call: Call, pen: Pen): Promise<Line[]> {
  const file = call.home.ledgers[pen];
  const limit = limitOf(call);
  const filter = filterOf(call);
  const unfiltered = filter.run === undefined && filter.type === undefined && limit > 0;
  const from = Math.max(call.count('since') ?? 1, unfiltered ? lastSeqOf(file) - limit + 1 : 1);
  const lines: Line[] = [];
  for await (const line of readEvents(file, { ...filter, from })) {
    lines.push(line);
    if (limit > 0 && lines.length > 2 * limit) lines.splice(0, lines.length - limit);
    if (call.signal.aborted) break;
  }
  return limit > 0 ? lines.slice(-limit) : lines;
}

function filterOf(call: Call): Filter {
  const run = call.text('run');
  const type = call.text('type');
  return {
    ...(run === undefined ? {} : { run }),
    ...(type === undefined ? {} : { type: type as NonNullable<Filter['type']> }),
  };
}

function limitOf(call: Call): number {
  return call.count('limit') ?? DEFAULT_LIMIT;
}

function pensOf(pen: string | undefined): Pen[] {
  if (pen === undefined) return ['run', 'maintenance'];
  if (pen === 'run' || pen === 'maintenance') return [pen];
  throw new OkaError('usage', `--pen is run or maintenance, not "${pen}"`);
}

/** Prints a line an event, and the day above when it changes. */
function printer(call: Call): (line: Line) => void {
  let day = '';
  return (line) => {
    if (call.json) return call.out(`${JSON.stringify(line)}\n`);
    if (line.at.slice(0, 10) !== day) {
      day = line.at.slice(0, 10);
      call.out(`${dim(day)}\n`);
    }
    const head = `${line.pen === 'run' ? ' ' : 'm'}${String(line.seq).padStart(6)}  ${line.at.slice(11, 19)}  ${fitted(line.run ?? '-', 14).padEnd(14)}  `;
    call.out(`${dim(head)}${fitted(storyOf(line), WIDTH - head.length)}\n`);
  };
}
