import { type ReplicaStatus, replicaStatus } from '../../daemon/network/replicate.ts';
import { replicaFolder } from '../../daemon/network/replica-connection.ts';
import { loadConfig } from '../../daemon/settings.ts';
import { switchFile } from '../../replica/state.ts';
import type { Pen } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { assertSetUp } from '../secret-changes.ts';
import { bold, count, dim, green, plainText, red, yellow } from '../plain-text.ts';

const PENS = ['run', 'maintenance'] as const satisfies Pen[];

/** Exit 1 when a person has to look at it. */
export async function run(call: Call): Promise<number> {
  assertSetUp(call);
  const status = await replicaStatus(call.home, await loadConfig(call.home));
  const stopped = !status.off && status.state?.doing.kind === 'stopped';
  if (call.json) call.out(`${JSON.stringify(status)}\n`);
  else if (status.url === null) call.out('This home has no replica: neither CONVEX_URL nor replica.url is set.\n');
  else tell(call, status);
  return stopped ? exits.no : exits.ok;
}

function tell({ home, out }: Call, status: ReplicaStatus): void {
  const { url, ledger, pens } = status;
  out(`${bold(url ?? '')} ${dim(ledger === null ? 'no events yet' : `as ${ledger}`)}\n`);
  out(`${doing(status, switchFile(replicaFolder(home)))}\n`);
  for (const pen of PENS) {
    const { here, there } = pens[pen];
    const left = here - there;
    const words =
      left > 0
        ? `${count(there, 'event')} there, ${count(left, 'event')} to go`
        : `${count(there, 'event')}, all there`;
    out(`  ${`${pen}_ledger`.padEnd(19)} ${words}\n`);
  }
}

function doing({ off, state, follower }: ReplicaStatus, file: string): string {
  if (off) return `${yellow('off')}: a person switched it off (${file}); on again: oka replica on`;
  const holder = follower === null ? dim('no process replicates right now') : `process ${follower.pid}`;
  if (state === null) return `${yellow('not begun')}: ${holder}`;
  const now = state.doing;
  switch (now.kind) {
    case 'following':
      return follower === null ? holder : `${green('following')}: ${holder}`;
    case 'waiting':
      return `${yellow('waiting')} since ${now.since}: ${plainText(now.why)}\n  tried ${count(now.failures, 'time')}; next at ${now.until}`;
    case 'stopped':
      return `${red('stopped')}: ${plainText(now.why)}\n  ${plainText(now.fix)}`;
  }
}
