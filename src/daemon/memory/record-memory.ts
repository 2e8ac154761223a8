/** What people ask to remember, forget or import, as events. */
import { parseEpisodes } from '../../memory/index/import-episodes.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { Intake } from '../../schema/intake.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { LedgerPort } from '../port-types.ts';

export type MemoryIntake = Extract<Intake, { kind: 'remember' | 'forget' | 'import' }>;

const AT_ONCE = 500;

/** Returns the seqs of what was written. What is in the ledger twice is remembered once. */
export async function recordMemory(
  intake: MemoryIntake,
  { ledger, artifacts }: { ledger: Pick<LedgerPort, 'append'>; artifacts: ArtifactStore },
): Promise<number[]> {
  const events = await eventsFor(intake, artifacts);
  const seqs: number[] = [];
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const written = await ledger.append(events.slice(from, from + AT_ONCE));
    seqs.push(...written.map(({ seq }) => seq));
  }
  return seqs;
}

async function eventsFor(intake: MemoryIntake, artifacts: ArtifactStore): Promise<NewEvent[]> {
  switch (intake.kind) {
    case 'remember':
      return [{ type: 'fact.kept', data: intake.fact }];
    case 'forget':
      return [{ type: 'fact.forgotten', data: { facts: intake.facts, why: intake.why } }];
    case 'import': {
      const { name } = intake;
      const text = (await artifacts.get({ sha256: intake.body })).toString('utf8');
      return parseEpisodes(text, name).map(({ episode, line }) => ({
        type: 'episode.imported',
        data: { episode, from: { name, line } },
      }));
    }
  }
}
