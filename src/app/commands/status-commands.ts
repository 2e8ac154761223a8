/** What runs, what waits for the user, and the ledger in short. */
import { describeSilence } from '../../core/ledger/pen-health.ts';
import type { Home } from '../../core/schema/home.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { flag } from '../../kit/cli/options.ts';
import { requireHome } from '../../kit/cli/require-home.ts';
import type { DiskUse } from '../status/disk-use.ts';
import type { Status } from '../status/read-status.ts';
import { readWorkerHealth, type WorkerHealth } from '../status/worker-health.ts';

type Health = WorkerHealth & { healthy: boolean };

export const commands: Commands = {
  status: command({
    summary: 'Show what runs, what waits for you, and the ledger in short',
    options: {
      short: flag('In ten lines, with what to do next; so does oka alone in a folder that is set up.'),
      health: flag('Only say whether a worker is running and responds; exit 1 if not.'),
      disk: flag('Only say what takes how much of the disk, and what of it goes when.'),
    },
    example: 'oka status',
    run: async (
      call: Call<{ short: boolean; health: boolean; disk: boolean }>,
    ): Promise<Answer<Health | Status | DiskUse>> => {
      const { home, options } = call;
      if (options.health) return checkHealth(home);
      await requireHome(home);
      return options.disk ? showDisk(call) : showStatus(call);
    },
    render: null,
  }),
};

/** What is active is rendered by a file of its own, which a home without active tasks does not load. */
async function showStatus({ home, json, options }: Call<{ short: boolean }>): Promise<Answer<Status>> {
  const { readStatus } = await import('../status/read-status.ts');
  const status = await readStatus(home);
  const { ledger, history_problem, goals, asked, fleet } = status;
  const code = ledger.fault === null && history_problem === null ? exits.ok : exits.no;
  if (json) return answer(status, code);
  if (options.short) {
    const { shortStatusText } = await import('../status/short-status.ts');
    return answer(status, code, (terminal) => shortStatusText(status, terminal));
  }
  const { statusText } = await import('../status/status-text.ts');
  const isQuiet = goals.length + asked.length === 0 && fleet === null;
  const goalsText = isQuiet ? () => null : (await import('../status/goals-text.ts')).goalsText;
  return answer(status, code, (terminal) => statusText(status, goalsText(status, terminal), terminal));
}

async function showDisk({ home, rooms, signal }: Pick<Call, 'home' | 'rooms' | 'signal'>): Promise<Answer<DiskUse>> {
  const { loadRoomsConfig } = await import('../../kit/house/room-config.ts');
  const { diskText, readDiskUse } = await import('../status/disk-use.ts');
  const use = await readDiskUse(home, (await loadRoomsConfig(home, rooms)).maintenance, signal);
  return answer(use, exits.ok, (terminal) => diskText(use, terminal));
}

/** For supervisors and containers, which ask often: reads no ledger. */
function checkHealth(home: Home): Answer<Health> {
  const { worker, silent_ms } = readWorkerHealth(home);
  const healthy = worker !== null && silent_ms === null;
  const health = { healthy, worker, silent_ms };
  return answer(health, healthy ? exits.ok : exits.no, () => healthText(health));
}

function healthText({ worker, silent_ms }: Health): string {
  if (worker === null) return 'no worker is running\n';
  if (silent_ms !== null) return `process ${worker.pid} ${describeSilence(silent_ms)}\n`;
  return `process ${worker.pid} is working since ${worker.since}\n`;
}
