/**
 * Owns: whose task an id means in the fleet.
 *
 * N1 The first home that appends to the subject of an id has it, for as long as the stream of runs is there. A home that is
 *    killed finds that it was the first: no window of time, and no memory of a process, counts.
 */
import { ANSWER_MS, type FleetConnection } from './connect-fleet.ts';
import { publisherOf, RUNS, runSubject, runSubjects } from './fleet-subjects.ts';

/** No run has such a name. */
const nameOf = (id: string): string => `_home-${id}`;

export type TaskHomes = {
  /** Gives the id to this home unless another one has it; returns whose it is. */
  reserve(id: string, home: string): Promise<string>;
};

export function taskHomes({ js, manager }: FleetConnection): TaskHomes {
  const find = async (id: string): Promise<string | null> => {
    const stored = await manager.streams.getMessage(RUNS, { last_by_subj: runSubjects(nameOf(id)) });
    return stored === null ? null : publisherOf(stored.subject);
  };
  return {
    reserve: async (id, home) => {
      const found = await find(id);
      if (found !== null) return found;
      const lastSubjectSequenceSubject = runSubjects(nameOf(id));
      const expect = { lastSubjectSequence: 0, lastSubjectSequenceSubject, streamName: RUNS };
      try {
        await js.publish(runSubject(nameOf(id), home), '', { expect, timeout: ANSWER_MS });
        return home;
      } catch (error) {
        const first = await find(id); // another home was faster, or the answer was lost
        if (first === null) throw error;
        return first;
      }
    },
  };
}
