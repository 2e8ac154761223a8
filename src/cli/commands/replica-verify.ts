import { connectReplica } from '../../daemon/network/replica-connection.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import { type Verified, verifyReplica } from '../../replica/verify.ts';
import type { Pen } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { eventsOn, replicaHome } from '../replica-home.ts';
import { count, green, plainText, red } from '../plain-text.ts';

type Found = { pen: Pen } & Verified;

export async function run(call: Call): Promise<number> {
  const { home, signal, err, json, out } = call;
  const { config, ledger } = await replicaHome(call);
  const found: Found[] = [];
  const { replica, open } = await connectReplica(home, config);
  for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
    if (ledger === null) continue;
    const progress = eventsOn(err, `comparing the ${pen} ledger`);
    const total = lastSeqOf(home.ledgers[pen]);
    const ports = { replica, of: { ledger, pen }, ledgerFile: home.ledgers[pen], open, signal };
    found.push({ pen, ...(await verifyReplica({ ...ports, reach: (seq) => progress.reach(seq, total) })) });
    progress.end();
  }
  const same = found.every(({ difference }) => difference === null);
  if (json) out(`${JSON.stringify({ same, ledgers: found })}\n`);
  else if (found.length === 0) out('There are no events yet.\n');
  else for (const each of found) out(describe(each));
  return same ? exits.ok : exits.no;
}

function describe({ pen, events, behind, withheld, unopened, difference }: Found): string {
  const notes = [
    behind > 0 ? `${count(behind, 'event')} still to go` : '',
    withheld > 0 ? `${count(withheld, 'content')} held back, place in the chain compared` : '',
    unopened > 0 ? `${count(unopened, 'content')} sealed to other keys, place in the chain compared` : '',
  ].filter((note) => note !== '');
  const head =
    difference === null
      ? `${pen}_ledger: ${green('the same')}, ${count(events, 'event')}`
      : `${pen}_ledger: ${red(difference.kind)} at seq ${difference.seq}: ${plainText(difference.why)}\n  ${count(events, 'event')} before it are the same`;
  return `${[head, ...notes].join('\n  ')}\n`;
}
