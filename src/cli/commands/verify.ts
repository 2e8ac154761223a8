import { statSync } from 'node:fs';
import { verifyLedger } from '../../ledger/verify.ts';
import type { Pen } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { progressOn } from '../progress.ts';
import { bytes, count, green, red, yellow } from '../terminal.ts';

export async function run({ home, json, out, err }: Call): Promise<number> {
  const results = [];
  for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
    const file = home.ledgers[pen];
    const progress = progressOn(err, `verifying ${pen}_ledger`, statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    results.push({ ledger: `${pen}_ledger`, file, ...(await verifyLedger(file, progress.reach)) });
    progress.end();
  }
  const sound = results.every((result) => result.state === 'absent' || result.state === 'intact');
  if (json) out(`${JSON.stringify({ intact: sound, ledgers: results })}\n`);
  else for (const result of results) out(describe(result));
  return sound ? exits.ok : exits.no;
}

function describe(result: { ledger: string } & Awaited<ReturnType<typeof verifyLedger>>): string {
  switch (result.state) {
    case 'absent':
      return `${result.ledger}: not there yet\n`;
    case 'intact':
      return `${result.ledger}: ${green('intact')}, ${count(result.events, 'event')}, ${bytes(result.bytes)}\n  head ${result.head}\n`;
    case 'torn':
      return `${result.ledger}: ${yellow('torn end')} at seq ${result.fault.seq}, byte ${result.fault.offset}: ${result.fault.reason}\n  ${count(result.events, 'event')} before it hold. The next start cuts the end off and keeps it aside.\n`;
    case 'damaged':
      return `${result.ledger}: ${red('damaged')} at seq ${result.fault.seq}, byte ${result.fault.offset}: ${result.fault.reason}\n  ${count(result.events, 'event')} before it hold. Restore the file from a backup or replica.\n`;
  }
}
