/** The ledgers: receipts, archives, and a copy that was put back. */
import { exportReceipt } from '../export-receipt.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { loadConfig } from '../../../kit/settings.ts';
import { withStores } from '../../../kit/house/await-pen.ts';
import { archiveRuns } from '../../../core/ledger/archive-runs.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { carryOut } from '../../../kit/cli/carry-out.ts';
import { existsSync } from 'node:fs';
import { acceptRollback } from '../accept-rollback.ts';
import { checkAnchors } from '../../../kit/home/home-anchors.ts';
import type { Pen } from '../../../core/schema/event.ts';
import { parsedText } from '../../../kit/cli/options.ts';
import { parseDate } from '../../../kit/cli/option-values.ts';

type Archived = Awaited<ReturnType<typeof archiveRuns>>;
type ArchiveData = { archived: Archived; before: string };

type Accepted = { ledger: string; missing: number; expected: number; last: number };

type AcceptRollbackData = { accepted: Accepted[] };

export const commands: Commands = {
  receipt: command({
    summary: 'Print a signed proof of what a run did; verify it with `oka verify --receipt`',
    operands: '<run>',
    example: 'oka receipt welcome-1a2b3c4d > receipt.json',
    run: async (call) => {
      await requireHome(call.home);
      const id = await runOperand(call);
      return answer(await withReadingProgress(call, (reading) => exportReceipt(call.home, id, reading)));
    },
    /** The file itself: it is redirected, or piped to somebody. */
    render: (receipt) => `${JSON.stringify(receipt, null, 1)}\n`,
  }),
  'ledger archive': command({
    summary: 'Move old finished runs into compressed segments',
    options: {
      before: parsedText('DATE', 'Runs that ended before this day, such as 2026-01-31.', parseDate),
    },
    example: 'oka ledger archive --before 2026-01-31',
    run: ledgerArchive,
    render: ({ archived, before }) => {
      if (archived === null) return `No finished run ended before ${before.slice(0, 10)}; nothing was moved.\n`;
      const { first, last, segments } = archived;
      return `Moved events ${first} to ${last} into ${count(segments.length, 'segment')} under .oka/archive.\n`;
    },
    jsonLines: ({ archived }) => [{ archived }],
  }),
  'ledger accept-rollback': command({
    summary: 'Go on with a ledger that has lost events, and record the loss',
    example: 'oka ledger accept-rollback',
    run: ledgerAcceptRollback,
    render: ({ accepted }) => {
      if (accepted.length === 0) return 'Nothing is missing; nothing was changed.\n';
      return accepted.map((each) => `${renderAccepted(each)}\n`).join('');
    },
  }),
};

async function ledgerArchive(call: Call<{ before: Date | undefined }>): Promise<Answer<ArchiveData>> {
  const { home, options } = call;
  const { before } = options;
  if (before === undefined)
    throw new OkaError('usage', '--before DATE is missing', { fix: 'Example: oka ledger archive --before 2026-01-31' });
  const config = await loadConfig(home);
  const here = (): Promise<Archived> =>
    withStores(home, config, call, ({ ledger }) => archiveRuns(ledger, before, config.ledger.segment_mb * 1024 * 1024));
  const archived = (await carryOut(call, { kind: 'archive', before: before.toISOString() }, here)) as Archived;
  return answer({ archived, before: before.toISOString() });
}

function renderAccepted({ ledger, missing, expected, last }: Accepted): string {
  if (missing === 0) return `${ledger}: goes on after event ${last}; recorded that its history is another one.`;
  return `${ledger}: goes on after event ${last}; recorded that ${count(missing, 'event')} up to event ${expected} ${missing === 1 ? 'is' : 'are'} missing. Tasks whose end is missing may run again.`;
}

async function ledgerAcceptRollback({ home, signal, notify }: Call): Promise<Answer<AcceptRollbackData>> {
  await requireHome(home);
  const config = await loadConfig(home);
  const accepted: Accepted[] = [];
  for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
    if (pen === 'maintenance' && !existsSync(home.ledgers[pen]) && checkAnchors(home, pen).state !== 'broken') continue;
    const lost = await acceptRollback(home, config, pen, { signal, notify });
    if (lost !== null)
      accepted.push({ ledger: `${pen}_ledger`, missing: lost.missing, expected: lost.claim.seq, last: lost.found.seq });
  }
  return answer({ accepted });
}
