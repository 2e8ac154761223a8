/** Owns: one task that is done in this process, while somebody waits for it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunState } from '../../core/engine/run-state.ts';
import { type Addition, addTask } from '../../kit/inbox/add-task.ts';
import { openInbox } from '../../kit/inbox/inbox.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { withHost } from '../../kit/house/host.ts';
import type { Home } from '../../core/schema/home.ts';
import { accept, inboxSettings, notesOn } from '../../kit/inbox/accept.ts';
import type { Log } from '../../kit/log-line.ts';

/** Does one task here and now, besides what waits in the inbox. */
export async function runTask(
  home: Home,
  addition: Addition,
  signal: AbortSignal,
  log: Log,
): Promise<{ run: RunState; result: string }> {
  mkdirSync(join(home.oka, 'state'), { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(home.oka, 'state', 'run-'));
  try {
    addTask(folder, addition);
    return await withHost(
      home,
      signal,
      async (host) => {
        const inbox = await openInbox({ ...inboxSettings(host, log), inbox: folder, settleMs: 0 });
        const claimed = await inbox.take();
        await inbox.close();
        if (claimed === null) throw new OkaError('invalid-file', 'this is not a task');
        log(`accepted: ${claimed.title} (${claimed.id})`);
        for (const note of notesOn(claimed)) log(`${claimed.id}: ${note}`);
        if ((await accept(host, claimed)) !== null) await host.backend.wait(claimed.id);
        const run = await host.engine.stateOf(claimed.id);
        if (run === null) throw new OkaError('no-such-run', `run ${claimed.id} did not begin`);
        return { run, result: join(home.workspace, 'outbox', claimed.id, 'RESULT.md') };
      },
      { warn: log },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
