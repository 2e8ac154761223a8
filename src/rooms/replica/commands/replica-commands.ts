/** The copy elsewhere, and whether it is complete. */
import { type ReplicaStatus, replicaStatus } from '../replicate.ts';
import { connectReplica, replicaFolder } from '../replica-connection.ts';
import { loadConfig } from '../../../kit/settings.ts';
import { switchFile, switchReplication } from '../copy/state.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import { type Verified, verifyReplica } from '../copy/verify-replica.ts';
import { requireReplica } from '../replica-home.ts';

const PENS = ['run', 'maintenance'] as const satisfies Pen[];

type StatusData = { status: ReplicaStatus; file: string };

type VerifiedLedger = { pen: Pen } & Verified;

export const commands: Commands = {
  'replica status': command({
    summary: 'Show how much of both ledgers is at the replica; exit 1 if it needs you',
    example: 'oka replica status',
    run: replicaStatusCommand,
    render: (data, terminal) => {
      const { url, ledger, pens } = data.status;
      const { bold, dim } = terminal;
      if (url === null) return 'This home has no replica: neither CONVEX_URL nor replica.url is set.\n';
      const lines = [
        `${bold(url)} ${dim(ledger === null ? 'no events yet' : `as ${ledger}`)}`,
        describeState(data, terminal),
        ...PENS.map((pen) => `  ${`${pen}_ledger`.padEnd(19)} ${placeText(pens[pen])}`),
      ];
      return `${lines.join('\n')}\n`;
    },
    jsonLines: ({ status }) => [status],
  }),
  'replica verify': command({
    summary: 'Compare the replica with the ledgers, event by event; exit 1 if it differs',
    example: 'oka replica verify',
    run: async ({ home, signal, progress }) => {
      const { config, ledger } = await requireReplica(home);
      const ledgers: VerifiedLedger[] = [];
      const { replica, open } = await connectReplica(home, config);
      for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
        if (ledger === null) continue;
        const shown = progress(`comparing the ${pen} ledger`, 'events');
        const total = lastSeqOf(home.ledgers[pen]);
        const ports = { replica, of: { ledger, pen }, ledgerFile: home.ledgers[pen], open, signal };
        ledgers.push({ pen, ...(await verifyReplica({ ...ports, reach: (seq) => shown.reach(seq, total) })) });
        shown.end();
      }
      const same = ledgers.every(({ difference }) => difference === null);
      return answer({ same, ledgers }, same ? exits.ok : exits.no);
    },
    render: ({ ledgers }, terminal) => {
      if (ledgers.length === 0) return 'There are no events yet.\n';
      return ledgers.map((each) => renderLedger(each, terminal)).join('');
    },
  }),
  'replica off': command({
    summary: 'Send nothing more to the replica, also after a restart',
    example: 'oka replica off',
    run: async ({ home }) => {
      await requireHome(home);
      const folder = replicaFolder(home);
      switchReplication(folder, false, new Date().toISOString());
      return answer({ on: false, file: switchFile(folder) });
    },
    render: ({ file }) =>
      `Nothing more is sent (${file}). What is at the replica stays there. On again: oka replica on\n`,
  }),
  'replica on': command({
    summary: 'Send events to the replica again, or try again after it has stopped',
    example: 'oka replica on',
    /** Also lets a follower that has stopped try once more. */
    run: async ({ home }) => {
      await requireHome(home);
      const folder = replicaFolder(home);
      switchReplication(folder, true, new Date().toISOString());
      return answer({ on: true, file: switchFile(folder) });
    },
    render: () => 'Replication continues in the maintenance process, from where the replica is.\n',
  }),
};

function placeText({ here, there }: ReplicaStatus['pens'][Pen]): string {
  const left = here - there;
  if (left <= 0) return `${count(there, 'event')}, all there`;
  return `${count(there, 'event')} there, ${count(left, 'event')} to go`;
}

function describeState(
  { status: { off, state, follower }, file }: StatusData,
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

/** Exit 1 when a person has to act. */
async function replicaStatusCommand({ home }: Call): Promise<Answer<StatusData>> {
  await requireHome(home);
  const status = await replicaStatus(home, await loadConfig(home));
  const isStopped = !status.off && status.state?.doing.kind === 'stopped';
  return answer({ status, file: switchFile(replicaFolder(home)) }, isStopped ? exits.no : exits.ok);
}

function renderLedger(verified: VerifiedLedger, { green, red }: Terminal): string {
  const { pen, events, behind, withheld, unopened, difference } = verified;
  const notes = [
    behind > 0 ? `${count(behind, 'event')} still to go` : '',
    withheld > 0 ? `${count(withheld, 'content')} withheld, place in the chain compared` : '',
    unopened > 0 ? `${count(unopened, 'content')} sealed to other keys, place in the chain compared` : '',
  ].filter((note) => note !== '');
  const head =
    difference === null
      ? `${pen}_ledger: ${green('the same')}, ${count(events, 'event')}`
      : `${pen}_ledger: ${red(difference.kind)} at seq ${difference.seq}: ${plainText(difference.why)}\n  ${count(events, 'event')} before it are the same`;
  return `${[head, ...notes].join('\n  ')}\n`;
}
