import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isStopped } from '../../daemon/home/stop-files.ts';
import { setUp } from '../../daemon/home/set-up.ts';
import { loadConfig, programFolder, shownPath } from '../../daemon/settings.ts';
import type { Home } from '../../schema/home.ts';
import { type Kept, supervise } from '../../daemon/supervise.ts';
import { penHolder } from '../../ledger/pen.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { plainText } from '../plain-text.ts';
import { staying } from '../stay.ts';
import { viewOn } from '../live-view.ts';

const LOOK_EVERY_MS = 1000;

export async function run(call: Call): Promise<number> {
  const view = viewOn(process.stdout, call.home);
  try {
    return await staying(call, (isNews) => watchOver(call, (line) => (isNews(line) ? view.tell(line) : undefined)));
  } finally {
    view.end();
    if (call.signal.aborted) call.err('Stopped. Work goes on at the next start.\n');
  }
}

async function watchOver(call: Call, tell: (line: string) => void): Promise<number> {
  const { home, signal } = call;
  const holder = penHolder(home.ledgers.run);
  if (holder !== null)
    throw new OkaError('refused', `a worker is running already, process ${holder.pid} on ${holder.host}`, {
      fix: 'See what it does: oka status',
    });
  const isFirst = !existsSync(home.ledgers.run);
  setUp(home);
  if (isFirst) await welcome(call);
  tell(`oka watches ${shownPath(home, join(home.workspace, 'inbox'))}. Drop a task there; Ctrl-C stops.`);
  await untilAllowed(call, tell);
  const code = await supervise(
    [{ name: 'worker', args: ['worker'] }, ...(call.flag('alone') ? [] : await maintenanceOf(home))],
    {
      home,
      signal,
      tell,
      said: (_, line) => tell(plainText(line)),
    },
  );
  return signal.aborted ? exits.ok : code;
}

/** A config that cannot be read is told by the worker. */
async function maintenanceOf(home: Home): Promise<Kept[]> {
  const isOff = await loadConfig(home).then(
    ({ maintenance }) => maintenance.off,
    () => false,
  );
  return isOff ? [] : [{ name: 'maintenance', args: ['maintain', '--stay'], isBeside: true }];
}

async function welcome({ home }: Call): Promise<void> {
  const { addTask } = await import('../../intake/add-task.ts');
  const inbox = join(home.workspace, 'inbox');
  if (namesIn(inbox).includes('welcome')) return; // a start before this one got no further
  addTask(inbox, { path: join(programFolder, 'share', 'welcome') });
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path));

async function untilAllowed({ home, signal }: Call, tell: (line: string) => void): Promise<void> {
  if (!isStopped(home)) return;
  tell(`${join(home.oka, 'STOP')} is there: everything is stopped until you remove it.`);
  while (isStopped(home) && !signal.aborted) await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
}
