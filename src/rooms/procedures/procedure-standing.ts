/** How a procedure stands now, by what maintenance has learned so far: its numbers, and what it lacks. Writes nothing. */
import { existsSync } from 'node:fs';
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { currentNumbers } from './judge-procedures.ts';
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';
import type { Case } from './procedure-case.ts';
import { knownProcedure } from '../../kit/learning/procedure-rows.ts';
import { missingForTrial } from './blind-checks.ts';
import { missingForPromotion, missingForProof } from './promotion-gate.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ProcedureNumbers } from '../../core/schema/procedure.ts';
import { loadConfig } from '../../kit/settings.ts';
import { learningParts, learningVersion, withOwnParts } from '../../kit/house/learning-parts.ts';
import { learningFile } from '../../kit/home/maintenance-folder.ts';

export type ProcedureStanding = {
  numbers: ProcedureNumbers;
  /** What is missing until it is tried again, is promoted, or its probation ends; empty when nothing is. */
  missing: string[];
};

/** Null when maintenance does not know it yet. */
export async function procedureStanding(home: Home, id: string): Promise<ProcedureStanding | null> {
  if (!existsSync(learningFile(home))) return null;
  const config = await loadConfig(home);
  const parts = withOwnParts(await learningParts(config.maintenance));
  const store = FoldStore.openReadOnly(learningFile(home), { version: learningVersion(parts, config) });
  try {
    const known = knownProcedure(store, id);
    if (known === undefined) return null;
    const settings = config.maintenance.procedures;
    const { numbers, ...about } = currentNumbers(store, known, new Date().toISOString(), settings);
    return { numbers, missing: listMissing(known, about, missingForPromotion(about, numbers, settings)) };
  } finally {
    store.close();
  }
}

function listMissing({ status, probation }: KnownProcedure, about: Case, forPromotion: string[]): string[] {
  if (status === 'demoted') return missingForTrial(about);
  if (probation) return missingForProof(about.uses);
  return status === 'candidate' ? forPromotion : [];
}
