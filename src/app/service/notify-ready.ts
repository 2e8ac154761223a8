/** Telling systemd that oka is ready, once the worker responds: whoever starts after it finds a worker. */
import { spawn } from 'node:child_process';
import { penHealth } from '../../core/ledger/pen-health.ts';
import type { Home } from '../../core/schema/home.ts';
import { isNoticeWanted } from '../../kit/settings.ts';
import { pause } from '../../kit/pause.ts';

const LOOK_MS = 200;

/** Does nothing where nobody waits for it. Node has no sockets of this kind, so the program of systemd sends the notice. */
export async function notifyReady(home: Home, signal: AbortSignal): Promise<void> {
  if (!isNoticeWanted()) return;
  while (!signal.aborted) {
    const health = penHealth(home.ledgers.run);
    if (health !== null && health.silentMs === null) {
      spawn('systemd-notify', ['--ready', '--status=watching the inbox'], { stdio: 'ignore' }).on(
        'error',
        () => undefined,
      );
      return;
    }
    await pause(LOOK_MS, signal, { ref: false });
  }
}
