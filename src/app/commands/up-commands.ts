/** The process that keeps the others alive. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDraining, isStoppedHere } from '../../kit/home/stop-files.ts';
import { onceThereIsSpace } from '../../kit/home/disk-space.ts';
import { watchRules } from '../../kit/home/rules-fixed.ts';
import { rootNotice } from '../../rooms/records/root-user.ts';
import { checkAnchors } from '../../kit/home/home-anchors.ts';
import { setUp } from '../../kit/home/set-up.ts';
import { loadConfig, parseConfig, programFolder, shownPath } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { notifyReady } from '../service/notify-ready.ts';
import { supervise, type SupervisedProcess } from '../../kit/house/supervise.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { type Answer, type Call, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { drainWorker, forgetDrain } from '../../rooms/fleet/drain-worker.ts';
import { plainText } from '../../kit/cli/plain-text.ts';
import { offerSetup } from '../../rooms/models/offer-setup.ts';
import { tryUntilFixed } from '../../kit/cli/stay.ts';
import { openLiveView } from '../../kit/cli/live-view.ts';
import { flag, text } from '../../kit/cli/options.ts';
import { stay } from '../../kit/cli/shared-options.ts';
import { pause } from '../../kit/pause.ts';

const POLL_EVERY_MS = 1000;

/** Lines of the first seconds of both processes, when they refuse to start. */
const MOST_REMEMBERED = 100;

/** Events that there may be before the first work. */
const MOST_BEFORE_WORK = 50;

type UpCall = Call<
  { stay: boolean; alone: boolean; noSetup: boolean; noWeb: boolean; drain: boolean; log: string | undefined },
  string
>;

export const commands: Commands = {
  up: command({
    summary: 'Watch the inbox and do what comes, until Ctrl-C',
    options: {
      stay,
      alone: flag('Without maintenance and dashboard, which somebody else runs; for containers.'),
      'no-web': flag('Without the dashboard.'),
      drain: flag('A worker that is running takes nothing new, finishes or hands over, and ends.'),
      'no-setup': flag('Do not offer to set up a model when there is none; so does OKA_NO_SETUP=1.'),
      log: text('FILE', 'Where a service manager appends what this prints; beyond 10 MB oka begins a new one.'),
    },
    example: 'oka up',
    json: false,
    run: up,
    render: (line) => `${line}\n`,
    footer: openLiveView,
  }),
};

/** What is missing in the home is made first, for which there may be no space. */
async function superviseWithSpace(
  call: UpCall,
  log: (line: string) => void,
  offer: () => Promise<void>,
): Promise<number> {
  const { home, signal } = call;
  return (await onceThereIsSpace(home, { log, signal }, () => superviseHome(call, log, offer))) ?? exits.ok;
}

async function superviseHome(
  call: UpCall,
  report: (line: string) => void,
  offer: () => Promise<void>,
): Promise<number> {
  const { home, signal } = call;
  const holder = penHolder(home.ledgers.run);
  if (holder !== null)
    throw new OkaError('refused', `a worker is running already, process ${holder.pid} on ${holder.host}`, {
      fix: 'See what it does: oka status',
    });
  const isFirst = await isFirstStart(home);
  setUp(home);
  forgetDrain(home);
  if (isFirst) await welcome(call);
  await offer();
  const notice = rootNotice();
  if (notice !== null) report(notice);
  report(`oka watches ${shownPath(home, join(home.workspace, 'inbox'))}. Drop a task there; Ctrl-C stops.`);
  await untilAllowed(call, report);
  if (signal.aborted) return exits.ok;
  void notifyReady(home, signal);
  const code = await supervise(
    [
      { name: 'worker', args: ['worker', ...(await desktopOption(call, report))] },
      ...(call.options.alone ? [] : await companionsOf(call)),
    ],
    {
      home,
      signal,
      log: report,
      onLine: reportOnce(report),
      untilFixed: watchRules(home),
      isOver: () => isDraining(home),
    },
  );
  return signal.aborted ? exits.ok : code;
}

/** Secrets that were set before do not count as work. A ledger that is gone, but was known once, was no first start. */
async function isFirstStart(home: Home): Promise<boolean> {
  if (!existsSync(home.ledgers.run)) return checkAnchors(home, 'run').state === 'none';
  const { readEvents } = await import('../../core/ledger/read-events.ts');
  let read = 0;
  for await (const { type } of readEvents(home.ledgers.run)) {
    read += 1;
    if (type === 'worker.started' || type === 'task.received' || read > MOST_BEFORE_WORK) return false;
  }
  return true;
}

/** Worker and maintenance stumble over the same mistake in the rules; a line that both print is reported once. */
function reportOnce(report: (line: string) => void): (name: string, line: string) => void {
  const printed = new Map<string, string>();
  return (name, line) => {
    const first = printed.get(line) ?? name;
    if (printed.size < MOST_REMEMBERED) printed.set(line, first);
    if (first === name) report(plainText(line));
  };
}

/** Whoever starts oka in a terminal of a desktop is notified there. */
async function desktopOption({ home, openDialog }: UpCall, report: (line: string) => void): Promise<string[]> {
  if (openDialog === null) return [];
  const { desktopNotice, showsOnDesktop } = await import('../../rooms/channels/desktop-here.ts');
  if (!showsOnDesktop(home)) return [];
  const notice = desktopNotice(home);
  if (notice !== null) report(notice);
  return ['--desktop'];
}

/** What runs beside the worker. The worker reports a config that cannot be read. */
async function companionsOf({ home, options }: UpCall): Promise<SupervisedProcess[]> {
  const { ConfigWithWeb } = await import('../../core/schema/web.ts');
  const config = await loadConfig(home).catch(() => null);
  const { web } = await parseConfig(home, ConfigWithWeb).catch(() => ({ web: null }));
  const maintenance = { name: 'maintenance', args: ['maintain', '--stay'], isSecondary: true };
  const dashboard = { name: 'dashboard', args: ['web'], isSecondary: true };
  return [
    ...(config?.maintenance.off === true ? [] : [maintenance]),
    ...(options.noWeb || web?.off === true ? [] : [dashboard]),
  ];
}

async function welcome({ home }: UpCall): Promise<void> {
  const { addTask } = await import('../../kit/inbox/add-task.ts');
  const inbox = join(home.workspace, 'inbox');
  if (namesIn(inbox).includes('welcome')) return; // a start before this one got no further
  addTask(inbox, { path: join(programFolder, 'share', 'welcome') });
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path));

async function untilAllowed({ home, signal }: UpCall, report: (line: string) => void): Promise<void> {
  if (!isStoppedHere(home)) return;
  report(`${join(home.oka, 'STOP')} is there: everything is stopped until you remove it.`);
  while (isStoppedHere(home) && !signal.aborted) await pause(POLL_EVERY_MS, signal);
}

async function up(call: UpCall): Promise<Answer<string>> {
  if (call.options.drain) return { code: await drainWorker(call) };
  const offerOnce = offerSetup(call);
  const { log } = call.options;
  if (log !== undefined) void (await import('../service/keep-log-small.ts')).keepLogSmall(log, call.signal);
  try {
    const code = await tryUntilFixed(call, (isNews) =>
      superviseWithSpace(call, (line) => (isNews(line) ? call.emit(line) : undefined), offerOnce),
    );
    return { code };
  } finally {
    if (call.signal.aborted) call.notify('Stopped. Work continues at the next start.');
  }
}
