/** A request that was passed on to the worker, which alone writes the ledger while it runs. */
import { join } from 'node:path';
import { submit } from '../intake/submit-request.ts';
import { penHolder } from '../ledger/pen.ts';
import type { Home } from '../schema/home.ts';
import type { Intake } from '../schema/intake.ts';

export type Submitted = { submitted: string };

/** Null when no worker is running. */
export function submitToWorker(home: Home, intake: Intake): Submitted | null {
  if (penHolder(home.ledgers.run) === null) return null;
  return { submitted: submit(join(home.oka, 'intake'), intake) };
}

export function renderSubmitted({ submitted }: Submitted, what: string): string {
  return `A worker is running; it was asked to ${what} (${submitted}).\n`;
}
