import { existsSync } from 'node:fs';
import { isInside } from '../../engine/child-terms.ts';
import { readEvents } from '../../ledger/read.ts';
import type { Event } from '../../schema/event.ts';
import { renderColumns } from '../columns.ts';
import { type Answer, answer, type Call } from '../command.ts';
import type { Terminal } from '../io.ts';

type ListedRun = {
  run: string;
  title: string;
  status: string;
  started: string;
  ended: string | null;
  parent: string | null;
};

export async function run({ home, options }: Call<{ all: boolean; limit: number }>): Promise<Answer<ListedRun[]>> {
  const all = existsSync(home.ledgers.run) ? await listRuns(home.ledgers.run) : [];
  const tops = options.all ? all : all.filter((each) => !isInside(each));
  return answer(options.limit === 0 ? tops : tops.slice(-options.limit));
}

export const jsonLines = (runs: ListedRun[]): ListedRun[] => runs;

export function render(runs: readonly ListedRun[], terminal: Terminal): string {
  const { dim, green, red, yellow } = terminal;
  if (runs.length === 0) return 'There are no runs yet. Drop a task into workspace/inbox, or: oka add "…"\n';
  return renderColumns(
    runs,
    [
      { text: ({ started }) => started.slice(0, 16).replace('T', ' '), style: dim },
      {
        text: ({ status }) => status,
        style: (text, { status }) => (status === 'done' ? green(text) : status === 'failed' ? red(text) : yellow(text)),
      },
      { text: ({ title }) => title, grows: true },
      { text: ({ run }) => run, style: dim },
    ],
    terminal,
  );
}

/** Every run, in the order in which they started. */
async function listRuns(ledger: string): Promise<ListedRun[]> {
  const runs = new Map<string, ListedRun>();
  for await (const event of readEvents(ledger, {})) if (event.run !== null) applyEvent(runs, event.run, event);
  return [...runs.values()];
}

function applyEvent(runs: Map<string, ListedRun>, run: string, event: Event): void {
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
