/** Verifies the ledger in argv. */
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { report } from './child.ts';

await report(async () => {
  const verdict = await verifyLedger(process.argv[2] ?? '');
  if (verdict.state !== 'intact') throw new Error(`the ledger is ${verdict.state}`);
});
