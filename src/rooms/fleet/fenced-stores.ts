/** Owns: the ledger and the artifacts of a home as a member of a fleet sees them: behind the fence, and shared. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetFiles } from './servers/fleet-files.ts';
import { type Noticing, silently } from './servers/storing-notice.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event, NewEvent } from '../../core/schema/event.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import { findIn, shareNamed } from './named-artifacts.ts';
import type { OwnedRuns } from './owned-runs.ts';

/** Flushing events waits for the disk, and then for the fence of their run. */
export function fencedLedger(ledger: LedgerPort, owned: Pick<OwnedRuns, 'acknowledged'>): LedgerPort {
  function append(event: NewEvent): Promise<Event>;
  function append(events: readonly NewEvent[]): Promise<Event[]>;
  async function append(events: NewEvent | readonly NewEvent[]): Promise<Event | Event[]> {
    const written = Array.isArray(events)
      ? await ledger.append(events as readonly NewEvent[])
      : await ledger.append(events as NewEvent);
    await owned.acknowledged(Array.isArray(written) ? written : [written]);
    return written;
  }
  return {
    append,
    stage: (event) => ledger.stage(event),
    flush: async (mine) => {
      await ledger.flush(mine);
      if (mine !== undefined) await owned.acknowledged(mine);
    },
    read: (filter) => ledger.read(filter),
    checkPen: () => ledger.checkPen(),
    get end() {
      return ledger.end;
    },
    get failure() {
      return ledger.failure;
    },
  };
}

type SharedArtifacts = {
  artifacts: ArtifactStore;
  /** Resolves when what these events of a run name is in the object store. */
  share: (events: readonly Event[]) => Promise<void>;
  close: () => void;
};

const RETRY_MS = 500;
const MOST_SHARED = 10_000;

/** What runs of the fleet name is copied to the object store, and nothing else; what is missing here is fetched from there. */
export function sharedArtifacts(local: ArtifactStore, files: FleetFiles, notice: Noticing = silently): SharedArtifacts {
  const shared = new Set<string>();
  const findHere = findIn(local, 'artifact-damaged'); // nobody can use it, here or elsewhere
  const closing = new AbortController();
  const share = async (events: readonly Event[]): Promise<void> => {
    const text = JSON.stringify(events);
    while (!closing.signal.aborted)
      try {
        if (shared.size > MOST_SHARED) shared.clear();
        return await notice(() => shareNamed(text, findHere, files, shared));
      } catch {
        await sleep(RETRY_MS); // nothing is acknowledged meanwhile
      }
  };
  const fetch = async (sha256: string): Promise<Buffer> => {
    for (;;)
      try {
        return await files.get(sha256);
      } catch (error) {
        if (closing.signal.aborted || isFinal(error)) throw error;
        await sleep(RETRY_MS);
      }
  };
  return {
    artifacts: {
      put: (body, about) => local.put(body, about),
      get: async (ref) => {
        try {
          return await local.get(ref);
        } catch (error) {
          if (!(error instanceof OkaError) || error.code !== 'artifact-missing') throw error;
          const content = await fetch(ref.sha256);
          await local.put(content);
          return content;
        }
      },
    },
    share,
    close: () => closing.abort(),
  };
}

/** Whether asking again cannot help. Everything else is a matter of servers that do not answer for a while. */
const isFinal = (error: unknown): boolean =>
  error instanceof OkaError && (error.code === 'artifact-missing' || error.code === 'artifact-damaged');
