/**
 * Owns: answering approvals from .oka/approvals: what an edited page, an expired wait or a disk error leads to.
 * Does not own: the files (approval-page-set.ts), what a page contains and what counts as an answer (core/guard/approval-page.ts).
 *
 * B3 An edit that is not an answer is recorded as refused, and the page is rewritten and says why.
 * B4 A wait that closes loses its page; a wait whose time is over is closed as expired.
 */
import { type Approval, isExpired, type Open, type Read, refusalOf } from '../../core/guard/approval-page.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import { type Folder, inFolder } from './approval-files.ts';
import { approvalPageSet } from './approval-page-set.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';

export type ApprovalPages = {
  /** Writes a page for each open approval, and removes the pages of those that closed. */
  show: () => Promise<void>;
  /** The same, and answers the approvals whose pages were edited. */
  poll: () => Promise<void>;
};

type PageAnswer = Extract<Read, { kind: 'answer' }>;

type ApprovalPorts = {
  folder: string;
  open: () => readonly Open[];
  answer: (open: Open, answer: WaitAnswer) => Promise<unknown>;
  /** False while a run of a fleet has not been claimed again; its page is read later. */
  mayAnswer: (open: Open) => boolean;
  refuse: (wait: string, reason: string) => Promise<unknown>;
  clock: () => number;
};

/** After this many refusals a page is no longer read: somebody is trying, and each try costs an event. */
const MOST_REFUSALS = 20;
const BY = 'a person, by editing its page in .oka/approvals';

export function approvalPages(ports: ApprovalPorts): ApprovalPages {
  const pages = approvalPageSet(ports.open());
  const waits = new Map<string, WaitProgress>();
  return {
    poll,
    show: async () => {
      await update();
    },
  };

  async function poll(): Promise<void> {
    const open = await update();
    for (const each of open) await judge(each);
  }

  async function update(): Promise<readonly Open[]> {
    const open = ports.open();
    for (const wait of waits.keys()) if (!open.some((each) => each.wait === wait)) waits.delete(wait);
    if (open.length > 0 || !pages.isEmpty()) await attempt(open, (folder) => pages.align(folder, open));
    if (!pages.isSwept()) await attempt([], (folder) => pages.sweep(folder, open));
    return open;
  }

  async function judge(each: Open): Promise<void> {
    const progress = progressOf(each.wait);
    if (progress.isAnswered || !ports.mayAnswer(each)) return;
    if (isExpired(each.for, ports.clock())) {
      progress.isAnswered = true;
      return answerOrRefuse(ports, each, {
        verdict: 'expired',
        text: `nobody answered before ${each.for.expires}`,
        by: 'the clock',
      });
    }
    if (progress.refusals >= MOST_REFUSALS) return;
    const edit = await attempt([each], (folder) => pages.readEdit(folder, each));
    if (edit === null) return;
    if (edit.kind === 'refused') return refuseEdit(each, edit.reason);
    progress.isAnswered = true;
    await answerOrRefuse(ports, each, toWaitAnswer(each, edit));
  }

  async function refuseEdit({ wait }: Open, reason: string): Promise<void> {
    const progress = progressOf(wait);
    progress.refusals += 1;
    const last =
      progress.refusals >= MOST_REFUSALS ? `; its page is no longer read, answer with: oka approve ${wait}` : '';
    await ports.refuse(wait, `the page ${pages.nameOf(wait)} is not an answer: ${reason}${last}`);
  }

  /** A disk error is reported once for each wait; the runs continue, and `oka approve` works without pages. */
  async function attempt<T>(about: readonly Open[], act: (folder: Folder) => T): Promise<T | null> {
    try {
      return inFolder(ports.folder, act);
    } catch (error) {
      if (!(error instanceof OkaError) && errnoOf(error) === undefined) throw error;
      for (const { wait } of about) await reportOnce(wait, messageOf(error));
      return null;
    }
  }

  async function reportOnce(wait: string, problem: string): Promise<void> {
    const progress = progressOf(wait);
    if (progress.isReported) return;
    progress.isReported = true;
    await ports.refuse(wait, `no page can be stored for it: ${problem}; answer with: oka approve ${wait}`);
  }

  function progressOf(wait: string): WaitProgress {
    const progress = waits.get(wait) ?? { isAnswered: false, isReported: false, refusals: 0 };
    waits.set(wait, progress);
    return progress;
  }
}

function toWaitAnswer({ for: { binding, asked } }: Open, { verdict, note, hosts, isAlways }: PageAnswer): WaitAnswer {
  const text = note === null ? {} : { text: note };
  const always = isAlways === undefined || asked === undefined ? {} : { always_for_tool: asked.tool };
  return { verdict, by: BY, binding, ...text, ...always, ...(hosts.length === 0 ? {} : { hosts: [...hosts] }) };
}

/** What was done about an open wait: answered from here, its disk error reported, its page refused so many times. */
type WaitProgress = { isAnswered: boolean; isReported: boolean; refusals: number };

/** The wait may have been closed by somebody else in the meantime; the answer is then recorded as refused. */
async function answerOrRefuse(ports: ApprovalPorts, open: Open, answer: WaitAnswer): Promise<void> {
  try {
    await ports.answer(open, answer);
  } catch (error) {
    if (!(error instanceof OkaError)) throw error;
    await ports.refuse(open.wait, error.message);
  }
}

/** The approvals that runs wait for, from the task graph. */
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
