/** Going on with a ledger that has lost events, after a person has decided so; the loss is recorded in the ledger. */
import { rmSync } from 'node:fs';
import type { Rollback } from '../../core/ledger/anchor.ts';
import { START } from '../../core/ledger/line.ts';
import { openLedger } from '../../core/ledger/ledger.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Pen } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { type CommandPatience, withStores } from '../../kit/house/await-pen.ts';
import { runsFolder } from '../../kit/house/stores.ts';
import { openAnchors } from '../../kit/home/home-anchors.ts';
import { storeVerification } from '../../kit/home/verification-state.ts';

/** Returns what was lost, or null when the ledger contains all that is known of it. */
export async function acceptRollback(
  home: Home,
  config: Config,
  pen: Pen,
  patience: CommandPatience,
): Promise<Rollback | null> {
  let lost: Rollback | null = null;
  // What was found damaged was so in what is gone: it is looked for anew, and what is left can be signed.
  storeVerification(home, pen, { place: START, finished: null, upTo: 0, faults: [], found: [] });
  const accept = (rollback: Rollback): void => void (lost = rollback);
  if (pen === 'run') {
    const work = async (): Promise<void> => {
      if (lost !== null) rmSync(runsFolder(home), { recursive: true, force: true }); // they may include lost events
    };
    await withStores(home, config, patience, work, { acceptRollback: accept });
  } else {
    const { redact } = await openHomeVault(home);
    const anchors = await openAnchors(home, pen, null);
    const ledger = await openLedger(home.ledgers[pen], pen, { redact, anchors, acceptRollback: accept });
    await ledger.close();
  }
  return lost;
}
