/** How the home is doing, and what `oka doctor` finds. The vault is not opened: this process has no secret in its memory. */
import { statfs } from 'node:fs/promises';
import { z } from 'zod';
import { findingsOf } from '../../kit/house/doctor.ts';
import { readHomeStatus, workerStateOf } from '../status/home-status.ts';
import { programVersion } from '../../kit/settings.ts';
import { closeHistory, openHistory } from '../../core/ledger/history.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { listEvents } from '../../kit/views/events-query.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { DiskAnswer, FindingsAnswer, HealthAnswer } from './health-answers.ts';

export const healthQuery = defineQuery({
  params: z.object({}),
  answer: HealthAnswer,
  read: async ({ home, views }) => {
    // a disk that does not say is shown without its space
    const [status, disk] = await Promise.all([readHomeStatus(home), statfs(home.oka).catch(() => null)]);
    const { worker, silent_ms, stopped, paused, model, rules_problem, history_problem } = status;
    return {
      version: programVersion(),
      node: process.version,
      dir: home.dir,
      state: workerStateOf(status),
      worker: worker === null ? null : { pid: worker.pid, host: worker.host, since: worker.since },
      silent_ms,
      stopped,
      paused,
      model,
      rules_problem,
      history_problem,
      disk: disk === null ? null : { free: disk.bavail * disk.bsize, total: disk.blocks * disk.bsize },
      ledgers: { run: sizeOf(home.ledgers.run), maintenance: sizeOf(home.ledgers.maintenance) },
      sandbox: await views((rows) => latestSandbox(rows, home)),
      files: { config: home.config, policy: home.policy },
    };
  },
});

/** Apart from the rest, since it takes a moment: it tries the kernel and reads the rules. */
export const findingsQuery = defineQuery({
  params: z.strictObject({}),
  answer: FindingsAnswer,
  read: async ({ home }) => {
    const findings = await findingsOf(home, undefined, { mayOpenVault: false });
    return { healthy: findings.every(({ state }) => state !== 'bad'), findings };
  },
});

/** Apart from the rest, since it looks at every file. */
export const diskQuery = defineQuery({
  params: z.strictObject({}),
  answer: DiskAnswer,
  read: async ({ home }) => {
    const [{ loadRoomsConfig }, { readDiskUse }] = await Promise.all([
      import('../../kit/house/room-config.ts'),
      import('../status/disk-use.ts'),
    ]);
    const { maintenance } = await loadRoomsConfig(home);
    return readDiskUse(home, maintenance, new AbortController().signal);
  },
});

/** What the worker has found about the kernel it runs on, which may be another machine than ours. */
async function latestSandbox(rows: Rows, home: Home): Promise<z.input<typeof HealthAnswer>['sandbox']> {
  const [event] = await listEvents(rows, home.ledgers, { type: 'sandbox.chosen', limit: 1 });
  if (event?.type !== 'sandbox.chosen') return null;
  const { kind, landlock, reason } = event.data;
  return { kind, landlock, reason, at: event.at };
}

/** Events in the archive count with the size that they had. */
function sizeOf(ledgerFile: string): number {
  const history = openHistory(ledgerFile);
  if (history === null) return 0;
  closeHistory(history);
  return history.live.base + history.live.size;
}
