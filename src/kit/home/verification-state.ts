/** Owns: the file in which background verification stores how far it is and what it found. Small, for `oka status`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { type Position, START } from '../../core/ledger/line.ts';
import type { Pen } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import type { FoundFault } from '../../core/ledger/verify-pass.ts';

/** What is stored about the passes over one ledger. */
export type Verification = {
  /** Where the current pass is. */
  place: Position;
  /** When the last pass ended, and the last event that it verified (0 in files of older versions). */
  finished: string | null;
  upTo: number;
  /** All that is known to be damaged, and what the current pass has found of it so far. */
  faults: FoundFault[];
  found: FoundFault[];
};

const verificationFile = (home: Home, pen: Pen): string => join(home.oka, 'state', `${pen}_verification.json`);

export function readVerification(home: Home, pen: Pen): Verification {
  const none: Verification = { place: START, finished: null, upTo: 0, faults: [], found: [] };
  try {
    return { ...none, ...(JSON.parse(readFileSync(verificationFile(home, pen), 'utf8')) as Partial<Verification>) };
  } catch {
    return none; // none, or cut: verifying begins anew
  }
}

/** Where it cannot be stored the next process starts over. */
export function storeVerification(home: Home, pen: Pen, state: Verification): void {
  try {
    replaceFile(verificationFile(home, pen), `${JSON.stringify(state)}\n`, { mode: 0o600 });
  } catch {
    // see above
  }
}

/** "verified up to event 1200 on 2026-01-31 08:15 UTC"; null before the first pass has ended. */
export function describeVerification({ finished, upTo }: Verification): string | null {
  if (finished === null) return null;
  return `verified up to event ${upTo} on ${finished.slice(0, 16).replace('T', ' ')} UTC`;
}
