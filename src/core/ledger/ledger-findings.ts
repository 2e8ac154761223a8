/** What `oka doctor` reports about both ledgers and the disk they are on. */
import { lstat, statfs } from 'node:fs/promises';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Finding } from '../schema/finding.ts';
import type { Home } from '../schema/home.ts';
import { peekProjection } from './peek-projection.ts';
import { taskGraph } from './task-graph.ts';
import { verifyLedger } from './verify-ledger.ts';

const LITTLE_DISK = 1e9;
const NO_DISK = 50e6;
/** Up to this size the whole chain is verified; above it, without --deep, only what was written since the last snapshot. */
const SMALL_LEDGER = 64e6;

export async function ledgerFindings(home: Home, isDeep: boolean): Promise<Finding[]> {
  return [
    await runLedgerFinding(home, isDeep),
    await ledgerFinding(home.ledgers.maintenance),
    await diskFinding(home.dir),
  ];
}

async function runLedgerFinding(home: Home, isDeep: boolean): Promise<Finding> {
  const { size } = await lstat(home.ledgers.run).catch(() => ({ size: 0 })); // ledgerFinding says what is wrong
  if (isDeep || size <= SMALL_LEDGER) return ledgerFinding(home.ledgers.run);
  const { end, fault } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  if (fault !== null)
    return {
      state: 'bad',
      what: 'ledger',
      found: `is damaged at seq ${fault.seq}, byte ${fault.offset}`,
      fix: 'oka verify',
    };
  return {
    state: 'good',
    what: 'ledger',
    found: `${end.seq} events; verified since the last snapshot (all of it: oka doctor --deep)`,
  };
}

async function ledgerFinding(file: string): Promise<Finding> {
  const what = 'ledger';
  try {
    const verdict = await verifyLedger(file);
    switch (verdict.state) {
      case 'absent':
        return { state: 'good', what, found: `${file} does not exist yet` };
      case 'intact':
        return {
          state: 'good',
          what,
          found: `${file}: ${verdict.events} event${verdict.events === 1 ? '' : 's'}, intact`,
        };
      case 'torn':
        return {
          state: 'odd',
          what,
          found: `${file} has an incomplete end at seq ${verdict.fault.seq}`,
          fix: 'Nothing to do: the next start moves the incomplete part to .oka/quarantine.',
        };
      case 'damaged':
        return {
          state: 'bad',
          what,
          found: `${file} is damaged at seq ${verdict.fault.seq}, byte ${verdict.fault.offset}`,
          fix: 'Restore it from a backup or replica.',
        };
    }
  } catch (error) {
    return {
      state: 'bad',
      what,
      found: messageOf(error),
      fix: error instanceof OkaError && error.fix !== undefined ? error.fix : 'Check the file and its permissions.',
    };
  }
}

async function diskFinding(folder: string): Promise<Finding> {
  const what = 'disk';
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const found = `${(free / 1e9).toFixed(1)} GB free`;
    if (free < NO_DISK)
      return { state: 'bad', what, found, fix: 'Free some space; without it nothing can be recorded.' };
    return free < LITTLE_DISK
      ? { state: 'odd', what, found, fix: 'Free some space soon.' }
      : { state: 'good', what, found };
  } catch (error) {
    return { state: 'odd', what, found: `free space is unknown: ${messageOf(error)}` };
  }
}
