/**
 * Owns: a task that is done while somebody waits for it.
 *
 * It lies in a folder of its own, from which it is taken as from an inbox: a kill in between loses nothing, and takes nothing
 * twice. The folder goes with whoever waits; what a kill leaves of it is removed later (kit/inbox/sweep-unfinished.ts).
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { PortValues, RunHandle } from '../../core/schema/room.ts';
import { carryOutRun } from '../../kit/cli/await-run.ts';
import type { AskingCall } from '../../kit/cli/carry-out.ts';
import { accept, type acceptNeeds, inboxSettings } from '../../kit/inbox/accept.ts';
import { type Addition, addTask } from '../../kit/inbox/add-task.ts';
import { openInbox } from '../../kit/inbox/inbox.ts';
import { TASK_FOLDER } from '../../kit/inbox/sweep-unfinished.ts';

type Settled = NonNullable<Awaited<ReturnType<typeof carryOutRun>>>;

/** Does one task now, besides what waits in the inbox. */
export async function runTask(call: AskingCall, addition: Addition): Promise<Settled> {
  const from = `${TASK_FOLDER}${randomUUID()}`;
  const folder = folderOf(call.home, from);
  try {
    addTask(folder, addition);
    const settled = await carryOutRun(call, { kind: 'run_task', from }, null);
    if (settled === null) throw new OkaError('in-doubt', 'the task was handed over, and has not begun', { fix: SEE });
    return settled;
  } finally {
    // whoever has taken it may not have read it when this command is interrupted
    if (!call.signal.aborted) rmSync(folder, { recursive: true, force: true });
  }
}

/** Asked again after a kill, it names the run that has begun. */
export async function startTask(needed: PortValues<typeof acceptNeeds>, from: string): Promise<RunHandle> {
  const folder = folderOf(needed.home, from);
  if (lstatIfPresent(folder)?.isDirectory() !== true)
    throw new OkaError('in-doubt', 'the task is not there any more', { fix: SEE });
  let why = 'this is not a task';
  const inbox = await openInbox({
    ...inboxSettings(needed, () => undefined),
    inbox: folder,
    home: from, // its name is made from this, too: nobody else can take the same one meanwhile
    settleMs: 0,
    hasResult: () => false,
    on: { rejected: async ({ reason }) => void (why = reason), problem: (text) => void (why = text) },
  });
  try {
    const claimed = await inbox.take();
    if (claimed === null) throw new OkaError('invalid-file', why);
    await accept(needed, claimed);
    const done = needed.backend.wait(claimed.id);
    done.catch(() => undefined); // whoever waits for it is told
    return { run: { id: claimed.id }, done };
  } finally {
    await inbox.close();
  }
}

const folderOf = ({ oka }: Home, from: string): string => join(oka, 'state', from);

const SEE = 'See whether it was done: oka runs';
