/** Verifying, rebuilding and tidying stored data. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, parsedText, text } from '../../../kit/cli/options.ts';
import { parseDate } from '../../../kit/cli/option-values.ts';

export const upkeep: Readonly<Record<string, Command>> = {
  doctor: command({
    summary: 'Check Node, folders, sandbox, vault, memory, ledgers and disk; say how to fix',
    json: true,
    options: { deep: flag('Verify every event of both ledgers, however large.') },
    example: 'oka doctor',
    load: () => import('../../health/doctor-command.ts'),
  }),
  verify: command({
    summary: 'Prove that no event was changed, lost or added; exit 1 if one was',
    options: {
      receipt: text('FILE', 'Verify the receipt of a run instead; needs no home.'),
      key: text('KEY', 'With --receipt: the public key that must have signed it, as `oka doctor` prints it.'),
    },
    json: true,
    example: 'oka verify',
    load: () => import('../../../rooms/records/commands/verify-command.ts'),
  }),
  receipt: command({
    summary: 'Print a signed proof of what a run did; verify it with `oka verify --receipt`',
    operands: '<run>',
    json: true,
    example: 'oka receipt welcome-1a2b3c4d > receipt.json',
    load: () => import('../../../rooms/records/commands/receipt-command.ts'),
  }),
  rebuild: command({
    summary: 'Delete everything derived from the ledger and rebuild it',
    json: true,
    example: 'oka rebuild',
    load: () => import('../../../rooms/maintenance/commands/rebuild-all.ts'),
  }),
  'rebuild index': command({
    summary: 'Delete the memory index and rebuild it',
    json: true,
    example: 'oka rebuild index',
    load: () => import('../../../rooms/memory/commands/rebuild-index.ts'),
  }),
  'ledger archive': command({
    summary: 'Move old finished runs into compressed segments',
    options: {
      before: parsedText('DATE', 'Runs that ended before this day, such as 2026-01-31.', parseDate),
    },
    json: true,
    example: 'oka ledger archive --before 2026-01-31',
    load: () => import('../../../rooms/records/commands/ledger-archive.ts'),
  }),
  'ledger accept-rollback': command({
    summary: 'Go on with a ledger that has lost events, and record the loss',
    json: true,
    example: 'oka ledger accept-rollback',
    load: () => import('../../../rooms/records/commands/ledger-accept-rollback.ts'),
  }),
  tidy: command({
    summary: 'Remove old results, and artifacts that no event names',
    options: { 'dry-run': flag('Only say what would be removed.') },
    json: true,
    example: 'oka tidy --dry-run',
    load: () => import('../../../rooms/maintenance/commands/tidy-command.ts'),
  }),
  schema: command({
    summary: 'Print the JSON Schema of a concept, for editors; without a name, list them',
    operands: '[name]',
    json: true,
    example: 'oka schema config',
    load: () => import('../../../rooms/records/commands/schema.ts'),
  }),
  bench: command({
    summary: 'Measure against a floor or a peer in the same run',
    operands: '[suite…]',
    options: { check: flag('Exit 1 when a figure misses its bar.') },
    json: true,
    example: 'oka bench ledger --json',
    load: () => import('../../../rooms/runs/commands/bench.ts'),
  }),
};
