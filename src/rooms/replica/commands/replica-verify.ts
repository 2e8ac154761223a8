import { connectReplica } from '../replica-connection.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import { type Verified, verifyReplica } from '../copy/verify-replica.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireReplica } from '../replica-home.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';

type VerifiedLedger = { pen: Pen } & Verified;
type Data = { same: boolean; ledgers: VerifiedLedger[] };

export async function run({ home, signal, progress }: Call): Promise<Answer<Data>> {
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
}

export function render({ ledgers }: Data, terminal: Terminal): string {
  if (ledgers.length === 0) return 'There are no events yet.\n';
  return ledgers.map((each) => renderLedger(each, terminal)).join('');
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
