/**
 * Owns: .oka/approvals: a page for every approval that is awaited, and taking a person's edit of one for an answer.
 * Does not own: what a page says and what counts as an answer (guard/approval-page.ts).
 *
 * B1 A wait that opens gets a page of ours, whatever lies there already. Only of a wait that was open when this process
 *    began is a page that is there believed, and then only if it is the very page that we would write.
 * B2 An edit is judged once it has stayed the same for one look: nobody's save is torn apart.
 * B3 What is not an answer is recorded as refused, and the page is written anew.
 * B4 A wait that closes loses its page; a wait whose time is over is closed as expired.
 */
import { hash } from 'node:crypto';
import {
  type Approval,
  isExpired,
  type Open,
  pageOpening,
  renderApprovalPage,
  readAnswer,
  refusalOf,
} from '../../guard/approval-page.ts';
import { errnoOf, messageOf, OkaError } from '../../schema/errors.ts';
import type { WaitAnswer } from '../../schema/wait.ts';
import { type Folder, inFolder } from './approval-files.ts';
import type { TaskGraph } from '../../ledger/task-graph.ts';
import type { LedgerPort } from '../port-types.ts';

export type ApprovalPages = {
  /** Makes the folder show what is open now. */
  show: () => Promise<void>;
  /** The same, and takes answers from it. */
  poll: () => Promise<void>;
};

export type ApprovalPorts = {
  folder: string;
  open: () => readonly Open[];
  answer: (open: Open, answer: WaitAnswer) => Promise<unknown>;
  refuse: (wait: string, reason: string) => Promise<unknown>;
  clock: () => number;
};

/** `settled` is the state of the file that has been dealt with, `seen` the one that the last look found. */
type Page = { name: string; settled: string | null; seen: string | null; refusals: number };

const MOST_BYTES = 512 * 1024;
/** After so many refusals a page is no longer read: somebody is trying, and each try costs an event. */
const MOST_REFUSALS = 20;
const SHORT_NAME = 200;
const BY = 'a person, by editing its page in .oka/approvals';

export function approvalPages(ports: ApprovalPorts): ApprovalPages {
  const { open, answer, refuse, clock } = ports;
  const openBefore = new Set(open().map(({ wait }) => wait));
  const pages = new Map<string, Page>();
  const toldOf = new Set<string>();
  /** Waits about which nothing more is to be said from here. */
  const done = new Set<string>();
  const ignored = new Set<string>();
  let isSwept = false;
  return { show: () => turn(false), poll: () => turn(true) };

  async function turn(takesAnswers: boolean): Promise<void> {
    const now = open();
    if (now.length === 0 && pages.size === 0 && isSwept) return;
    if (now.length > 0 || pages.size > 0) await attempt(now, (folder) => align(folder, now));
    if (!isSwept) await attempt([], (folder) => sweep(folder, now));
    if (!takesAnswers) return;
    for (const each of now) await judge(each);
  }

  function align(folder: Folder, now: readonly Open[]): void {
    const wanted = new Set(now.map(({ wait }) => wait));
    for (const [wait, page] of pages) {
      if (wanted.has(wait)) continue;
      folder.remove(page.name);
      pages.delete(wait);
      for (const set of [toldOf, done, ignored]) set.delete(wait);
    }
    for (const each of now) if (!pages.has(each.wait)) pages.set(each.wait, firstPage(folder, each));
  }

  function firstPage(folder: Folder, each: Open): Page {
    const name = fileNameOf(each.wait);
    const isOld = openBefore.has(each.wait) && folder.stampOf(name) !== null;
    const settled = isOld ? null : folder.write(name, renderApprovalPage(each));
    return { name, settled, seen: null, refusals: 0 };
  }

  /** Pages of waits that were closed while nobody could remove them. */
  function sweep(folder: Folder, now: readonly Open[]): void {
    const wanted = new Set(now.map(({ wait }) => fileNameOf(wait)));
    for (const name of folder.names())
      if (name.endsWith('.md') && !wanted.has(name) && isPage(folder, name)) folder.remove(name);
    isSwept = true;
  }

  async function judge(each: Open): Promise<void> {
    const page = pages.get(each.wait);
    if (done.has(each.wait)) return;
    if (isExpired(each.for, clock())) {
      done.add(each.wait);
      return tell(each, { verdict: 'expired', text: `nobody answered before ${each.for.expires}`, by: 'the clock' });
    }
    if (page === undefined || ignored.has(each.wait)) return;
    const read = await attempt([each], (folder) => readPage(folder, each, page));
    if (read?.kind === 'refused') return refused(each, page, read.reason);
    if (read?.kind !== 'answer') return;
    done.add(each.wait);
    const { verdict, note } = read;
    await tell(each, { verdict, by: BY, binding: each.for.binding, ...(note === null ? {} : { text: note }) });
  }

  function readPage(folder: Folder, each: Open, page: Page): ReturnType<typeof readAnswer> | null {
    const stamp = folder.stampOf(page.name);
    if (stamp === page.settled && stamp !== null) return null;
    if (stamp === null) {
      page.settled = folder.write(page.name, renderApprovalPage(each));
      return null;
    }
    const isStill = stamp === page.seen;
    page.seen = stamp;
    if (!isStill) return null;
    const read = readContent(folder, each, page);
    if (read.kind === 'untouched') page.settled = stamp;
    if (read.kind === 'refused') page.settled = folder.write(page.name, renderApprovalPage(each));
    return read;
  }

  async function refused(each: Open, page: Page, reason: string): Promise<void> {
    page.refusals += 1;
    const isLast = page.refusals >= MOST_REFUSALS;
    if (isLast) ignored.add(each.wait);
    const last = isLast ? `; its page is no longer read, answer with: oka approve ${each.wait}` : '';
    await refuse(each.wait, `the page ${page.name} is not an answer: ${reason}${last}`);
  }

  /** The wait may have been closed by somebody else in the meantime. */
  async function tell(each: Open, given: WaitAnswer): Promise<void> {
    try {
      await answer(each, given);
    } catch (error) {
      if (!(error instanceof OkaError)) throw error;
      await refuse(each.wait, error.message);
    }
  }

  /** What the disk does not let us do is said once for each wait; the runs go on, and `oka approve` works without pages. */
  async function attempt<T>(about: readonly Open[], act: (folder: Folder) => T): Promise<T | null> {
    try {
      return inFolder(ports.folder, act);
    } catch (error) {
      if (!(error instanceof OkaError) && errnoOf(error) === undefined) throw error;
      for (const { wait } of about) await sayOnce(wait, messageOf(error));
      return null;
    }
  }

  async function sayOnce(wait: string, problem: string): Promise<void> {
    if (toldOf.has(wait)) return;
    toldOf.add(wait);
    await refuse(wait, `no page can be kept for it: ${problem}; answer with: oka approve ${wait}`);
  }
}

function readContent(folder: Folder, each: Open, page: Page): ReturnType<typeof readAnswer> {
  try {
    return readAnswer(renderApprovalPage(each), folder.read(page.name, MOST_BYTES));
  } catch (error) {
    if (!(error instanceof OkaError) && errnoOf(error) === undefined) throw error;
    return { kind: 'refused', reason: messageOf(error) };
  }
}

function isPage(folder: Folder, name: string): boolean {
  try {
    return folder.read(name, MOST_BYTES).startsWith(pageOpening(name.slice(0, -'.md'.length)));
  } catch {
    return false;
  }
}

/** Names of waits may be longer than a file system takes. */
function fileNameOf(wait: string): string {
  return `${wait.length <= SHORT_NAME ? wait : `${wait.slice(0, SHORT_NAME - 20)}-${hash('sha256', wait).slice(0, 16)}`}.md`;
}

/** Approvals that somebody waits for, as the task graph has them. */
export function openApprovals({ goals }: TaskGraph): Open[] {
  return goals.flatMap(({ run, waits }) =>
    waits.flatMap(({ wait, node, for: asking }) =>
      asking.kind === 'approval' ? [{ wait, run, node, for: asking satisfies Approval }] : [],
    ),
  );
}

/** Throws, and records why, when an answer does not count. */
export async function assertAnswer(
  { goals }: TaskGraph,
  ledger: Pick<LedgerPort, 'append'>,
  wait: string,
  answer: WaitAnswer,
  now: number,
): Promise<void> {
  const open = goals.flatMap((goal) => goal.waits).find((each) => each.wait === wait);
  const reason = open === undefined ? 'nothing waits for it, or not any more' : refusalOf(open.for, answer, now);
  if (reason === null) return;
  await ledger.append({ type: 'answer.refused', data: { wait, reason } });
  throw new OkaError(
    open === undefined ? 'no-such-wait' : 'refused',
    `the answer to "${wait}" does not count: ${reason}`,
    {
      fix: 'See what waits: oka status',
    },
  );
}
