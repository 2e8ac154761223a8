/**
 * What people ask to remember, forget or import, as events. Whoever asked has looked without the pen, so it is looked at
 * again here: what is forgotten already, or was imported before, is no event.
 */
import { hasExpired, shownFact, storedFact } from './fact-view.ts';
import { parseEpisodes } from './index/import-episodes.ts';
import { selectNewEpisodes } from './new-episodes.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import { withViews } from '../../kit/house/open-views.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';

export type MemoryIntake = Extract<Intake, { kind: 'remember' | 'forget' | 'import' }>;

const AT_ONCE = 500;

type RecordPorts = { home: Home; ledger: Pick<LedgerPort, 'append' | 'read'>; artifacts: ArtifactStore };

/** The seqs of what was written; `forgot`: the facts that a request to forget some has ended. */
export type Recorded = { seqs: number[]; forgot?: string[] };

export async function recordMemory(intake: MemoryIntake, ports: RecordPorts): Promise<Recorded> {
  const events = await eventsFor(intake, ports);
  const seqs: number[] = [];
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const written = await ports.ledger.append(events.slice(from, from + AT_ONCE));
    seqs.push(...written.map(({ seq }) => seq));
  }
  if (intake.kind !== 'forget') return { seqs };
  return { seqs, forgot: events.flatMap(({ type, data }) => (type === 'fact.forgotten' ? data.facts : [])) };
}

async function eventsFor(intake: MemoryIntake, ports: RecordPorts): Promise<NewEvent[]> {
  switch (intake.kind) {
    case 'remember':
      return [{ type: 'fact.kept', data: intake.fact }];
    case 'forget': {
      const facts = await stillKnown(intake, ports.home);
      return facts.length === 0 ? [] : [{ type: 'fact.forgotten', data: { facts, why: intake.why } }];
    }
    case 'import': {
      const { name, me } = intake;
      const text = (await ports.artifacts.get({ sha256: intake.body })).toString('utf8');
      const before = ports.ledger.read({ type: 'episode.imported' });
      const added = await selectNewEpisodes(parseEpisodes(text, name, me), before);
      return added.map(({ episode, line }) => ({
        type: 'episode.imported',
        data: { episode, from: { name, line } },
      }));
    }
  }
}

/** Those that are there; of those that have expired, the ones that nobody has stated again meanwhile. */
const stillKnown = ({ facts, why }: Extract<MemoryIntake, { kind: 'forget' }>, home: Home): Promise<string[]> =>
  withViews(home, (rows) =>
    facts.filter((id) => {
      const row = storedFact(rows, id);
      const fact = row === undefined ? null : shownFact(row);
      return fact !== null && (why !== 'expired' || hasExpired(fact, Date.now()));
    }),
  );
