import { type ReplicaStatus, replicaStatus } from '../replicate.ts';
import { replicaFolder } from '../replica-connection.ts';
import { loadConfig } from '../../../kit/settings.ts';
import { switchFile } from '../copy/state.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';

const PENS = ['run', 'maintenance'] as const satisfies Pen[];

type Data = { status: ReplicaStatus; file: string };

/** Exit 1 when a person has to act. */
export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const status = await replicaStatus(home, await loadConfig(home));
  const isStopped = !status.off && status.state?.doing.kind === 'stopped';
  return answer({ status, file: switchFile(replicaFolder(home)) }, isStopped ? exits.no : exits.ok);
}

export const jsonLines = ({ status }: Data): object[] => [status];

export function render(data: Data, terminal: Terminal): string {
  const { url, ledger, pens } = data.status;
  const { bold, dim } = terminal;
  if (url === null) return 'This home has no replica: neither CONVEX_URL nor replica.url is set.\n';
  const lines = [
    `${bold(url)} ${dim(ledger === null ? 'no events yet' : `as ${ledger}`)}`,
    describeState(data, terminal),
    ...PENS.map((pen) => `  ${`${pen}_ledger`.padEnd(19)} ${placeText(pens[pen])}`),
  ];
  return `${lines.join('\n')}\n`;
}

function placeText({ here, there }: ReplicaStatus['pens'][Pen]): string {
  const left = here - there;
  if (left <= 0) return `${count(there, 'event')}, all there`;
  return `${count(there, 'event')} there, ${count(left, 'event')} to go`;
}

function describeState(
  { status: { off, state, follower }, file }: Data,
  { yellow, green, red, dim }: Terminal,
): string {
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
