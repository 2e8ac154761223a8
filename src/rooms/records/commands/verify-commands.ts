/** Whether the ledgers are whole. */
import { statSync } from 'node:fs';
import { type AnchorCheck, checkAnchors } from '../../../kit/home/home-anchors.ts';
import { verifyLedger } from '../../../core/ledger/verify-ledger.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { bytes, count } from '../../../kit/cli/plain-text.ts';
import { renderReceipt, type VerifiedReceipt, verifyReceipt } from '../verify-receipt.ts';
import { text } from '../../../kit/cli/options.ts';

type Verified = { ledger: string; file: string; anchor: AnchorCheck } & Awaited<ReturnType<typeof verifyLedger>>;

type Data = { intact: boolean; ledgers: Verified[] } | VerifiedReceipt;

type Options = { receipt: string | undefined; key: string | undefined };

export const commands: Commands = {
  verify: command({
    summary: 'Prove that no event was changed, lost or added; exit 1 if one was',
    options: {
      receipt: text('FILE', 'Verify the receipt of a run instead; needs no home.'),
      key: text('KEY', 'With --receipt: the public key that must have signed it, as `oka doctor` prints it.'),
    },
    example: 'oka verify',
    run: async ({ home, options, progress, signal }: Call<Options>): Promise<Answer<Data>> => {
      if (options.receipt !== undefined) {
        const verified = await verifyReceipt(options.receipt, options.key);
        return answer(verified, verified.valid ? exits.ok : exits.no);
      }
      const ledgers: Verified[] = [];
      for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
        const file = home.ledgers[pen];
        const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
        const shown = progress(`verifying ${pen}_ledger`, 'bytes');
        const anchor = checkAnchors(home, pen);
        const verdict = await verifyLedger(file, (done) => {
          signal.throwIfAborted();
          shown.reach(done, size);
        });
        ledgers.push({ ledger: `${pen}_ledger`, file, anchor, ...verdict });
        shown.end();
      }
      const intact = ledgers.every(
        ({ state, anchor }) => (state === 'absent' || state === 'intact') && anchor.state !== 'broken',
      );
      return answer({ intact, ledgers }, intact ? exits.ok : exits.no);
    },
    render: (data: Data, terminal: Terminal): string => {
      if ('valid' in data) return renderReceipt(data, terminal);
      return data.ledgers.map((each) => `${renderLedger(each, terminal)}${renderAnchor(each, terminal)}`).join('');
    },
  }),
};

function renderAnchor({ anchor }: Verified, { red }: Terminal): string {
  switch (anchor.state) {
    case 'none':
      return '';
    case 'matches':
      return `  complete up to event ${anchor.seq}, ${anchor.signed ? 'signed' : 'noted'} ${anchor.at.slice(0, 16).replace('T', ' ')} UTC\n`;
    case 'broken':
      return `  ${red('incomplete')}: ${anchor.reason}\n`;
  }
}

function renderLedger(result: Verified, { green, yellow, red }: Terminal): string {
  switch (result.state) {
    case 'absent':
      return `${result.ledger}: not there yet\n`;
    case 'intact':
      return `${result.ledger}: ${green('intact')}, ${count(result.events, 'event')}, ${bytes(result.bytes)}\n  head ${result.head}\n`;
    case 'torn':
      return `${result.ledger}: ${yellow('torn end')} at seq ${result.fault.seq}, byte ${result.fault.offset}: ${result.fault.reason}\n  ${count(result.events, 'event')} before it are intact. The next start cuts the end off and saves it beside the ledger.\n`;
    case 'damaged':
      return `${result.ledger}: ${red('damaged')} at seq ${result.fault.seq}, byte ${result.fault.offset}: ${result.fault.reason}\n  ${count(result.events, 'event')} before it are intact. Restore the file from a backup or replica.\n`;
  }
}
