/** What people ask to remember, forget or import, as events. */
import { parseEpisodes } from './index/import-episodes.ts';
import { selectNewEpisodes } from './new-episodes.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';

export type MemoryIntake = Extract<Intake, { kind: 'remember' | 'forget' | 'import' }>;

const AT_ONCE = 500;

type RecordPorts = { ledger: Pick<LedgerPort, 'append' | 'read'>; artifacts: ArtifactStore };

/** Returns the seqs of what was written. Lines that were imported before are not written again. */
export async function recordMemory(intake: MemoryIntake, ports: RecordPorts): Promise<number[]> {
  const { ledger } = ports;
  const events = await eventsFor(intake, ports);
  const seqs: number[] = [];
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const written = await ledger.append(events.slice(from, from + AT_ONCE));
    seqs.push(...written.map(({ seq }) => seq));
  }
  return seqs;
}

async function eventsFor(intake: MemoryIntake, { ledger, artifacts }: RecordPorts): Promise<NewEvent[]> {
  switch (intake.kind) {
    case 'remember':
      return [{ type: 'fact.kept', data: intake.fact }];
    case 'forget':
      return [{ type: 'fact.forgotten', data: { facts: intake.facts, why: intake.why } }];
    case 'import': {
      const { name, me } = intake;
      const text = (await artifacts.get({ sha256: intake.body })).toString('utf8');
      const added = await selectNewEpisodes(parseEpisodes(text, name, me), ledger.read({ type: 'episode.imported' }));
      return added.map(({ episode, line }) => ({
        type: 'episode.imported',
        data: { episode, from: { name, line } },
      }));
    }
  }
}
