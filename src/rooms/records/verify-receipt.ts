/** Verifying the receipt of a run, without any home; what reads one is loaded only then. */
import { readFile } from 'node:fs/promises';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { RunReceipt } from '../../core/schema/run-receipt.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, plainText } from '../../kit/cli/plain-text.ts';

export type VerifiedReceipt = {
  valid: boolean;
  /** Why it proves nothing. */
  reason: string | null;
  run: string;
  home: string;
  key: string;
  /** Whether the key was given by whoever verifies, and not only by the receipt itself. */
  key_given: boolean;
  events: number;
  signed_at: string;
  results: RunReceipt['results'];
};

export async function verifyReceipt(file: string, key: string | undefined): Promise<VerifiedReceipt> {
  const [{ parsePublicKey }, { faultOfReceipt }] = await Promise.all([
    import('../../kit/home/home-key.ts'),
    import('../../core/ledger/receipt.ts'),
  ]);
  const receipt = await readReceipt(file);
  const reason = faultOfReceipt(receipt, parsePublicKey(key ?? receipt.key));
  return {
    valid: reason === null,
    reason,
    run: receipt.run,
    home: receipt.home,
    key: key ?? receipt.key,
    key_given: key !== undefined,
    events: receipt.records.length,
    signed_at: receipt.head.at,
    results: receipt.results,
  };
}

export function renderReceipt(receipt: VerifiedReceipt, { green, red }: Terminal): string {
  const { valid, reason, run, events, key, key_given, signed_at, results } = receipt;
  if (!valid) return `${red('not valid')}: ${plainText(reason ?? '')}\n`;
  const files = results.map(({ file, sha256 }) => `  ${sha256}  ${plainText(file)}\n`).join('');
  const trust = key_given ? '' : '  Compare the key with that of the home, or give it: --key\n';
  return `${green('valid')}: run ${plainText(run)}, ${count(events, 'event')}, signed ${signed_at} by\n  ${plainText(key)}\n${trust}${files}`;
}

async function readReceipt(file: string): Promise<RunReceipt> {
  const { RunReceipt: schema } = await import('../../core/schema/run-receipt.ts');
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new OkaError('invalid-file', `${file} is not a receipt: ${messageOf(error).slice(0, 300)}`, {
      fix: 'Export one: oka receipt RUN > receipt.json',
      cause: error,
    });
  }
}
