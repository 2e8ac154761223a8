/**
 * Owns: comparing the runs that this member owns in the stream with its ledger, every few minutes. Message servers with
 * damaged files have lost and changed what they had acknowledged; the ledger is the truth.
 *
 * C1 A run whose events differ is paused: nothing more of it is done until a person has looked, has the stream refilled
 *    (backfill-runs.ts), and resumes it.
 */
import { compareRun } from './compare-stream.ts';
import type { Work } from './work-in-progress.ts';
import { pause } from '../../kit/pause.ts';

const COMPARE_MS = 300_000;

export async function compareOwnedRuns(work: Work): Promise<void> {
  await pause(COMPARE_MS, work.signal);
  if (!work.signal.aborted) await compareOnce(work);
}

type Comparing = Pick<Work, 'log' | 'differing'> & {
  host: { home: Pick<Work['host']['home'], 'ledgers'>; engine: Pick<Work['host']['engine'], 'stop'> };
  member: Pick<Work['member'], 'name'> & {
    owned: Pick<Work['member']['owned'], 'tasks'>;
    log: Pick<Work['member']['log'], 'read'>;
  };
};

export async function compareOnce({ host, member, log, differing }: Comparing): Promise<void> {
  for (const run of member.owned.tasks()) {
    const messages = await member.log.read(run); // before the file, which has at least what the stream has
    const { verdict, different, unfenced, damage } = await compareRun(
      host.home.ledgers.run,
      run,
      member.name,
      messages,
    );
    if (verdict === 'same') differing.delete(run);
    if (verdict === 'same' || differing.has(run)) continue;
    differing.add(run);
    const what = damage ?? `it differs from the ledger in ${different.length} events and ${unfenced} claims`;
    const reason = `this run in the stream of the fleet: ${what}; see oka fleet verify, and repair it with oka fleet backfill`;
    log(`${run}: ${reason}`);
    await host.engine.stop(run, { kind: 'pause', reason }).catch(() => undefined); // it has ended meanwhile
  }
}
