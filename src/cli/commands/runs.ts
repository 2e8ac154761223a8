import { existsSync } from 'node:fs';
import { isInside } from '../../engine/child.ts';
import { readEvents } from '../../ledger/read.ts';
import type { Event } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { dim, fitted, green, plain, red, WIDTH, yellow } from '../terminal.ts';

type Listed = {
  run: string;
  title: string;
  status: string;
  started: string;
  ended: string | null;
  parent: string | null;
};

const SHOWN = 20;

export async function run({ home, json, out, flag, count }: Call): Promise<number> {
  const all = existsSync(home.ledgers.run) ? await listed(home.ledgers.run) : [];
  const tops = flag('all') ? all : all.filter((each) => !isInside(each));
  const limit = count('limit') ?? SHOWN;
  const shown = limit === 0 ? tops : tops.slice(-limit);
  if (json) for (const each of shown) out(`${JSON.stringify(each)}\n`);
  else if (shown.length === 0) out('There are no runs yet. Drop a task into workspace/inbox, or: oka add "…"\n');
  else for (const each of shown) out(lineOf(each));
  return exits.ok;
}

/** Every run, in the order in which they began. */
async function listed(ledger: string): Promise<Listed[]> {
  const runs = new Map<string, Listed>();
  for await (const event of readEvents(ledger, {})) if (event.run !== null) note(runs, event.run, event);
  return [...runs.values()];
}

function note(runs: Map<string, Listed>, run: string, event: Event): void {
  if (event.type === 'run.started') {
    const { title, parent } = event.data;
    runs.set(run, { run, title, status: 'running', started: event.at, ended: null, parent });
  }
  const listed = runs.get(run);
  if (listed === undefined) return;
  if (event.type === 'run.ended') Object.assign(listed, { status: event.data.status, ended: event.at });
  if (event.type === 'run.paused') listed.status = 'paused';
  if (event.type === 'run.resumed' || event.type === 'wait.closed') listed.status = 'running';
  if (event.type === 'wait.opened') listed.status = 'waiting';
}

function lineOf({ run, title, status, started }: Listed): string {
  const day = started.slice(0, 16).replace('T', ' ');
  const room = WIDTH - day.length - 14 - run.length;
  return `${dim(day)}  ${coloured(status)}  ${fitted(plain(title), Math.max(10, room))}  ${dim(run)}\n`;
}

function coloured(status: string): string {
  const text = status.padEnd(9);
  if (status === 'done') return green(text);
  return status === 'failed' ? red(text) : yellow(text);
}
