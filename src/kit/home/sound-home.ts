/**
 * Owns: whether the history of a home is whole. The only place that decides it for whoever reads a home (`oka status`,
 * lists of runs, pages); whoever writes refuses by the same anchors (home-anchors.ts).
 *
 * Scripts ask often, so a look at the records that anchors name comes first; only where one is missing everything about
 * anchors is loaded, and decides.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeHistory, openHistory } from '../../core/ledger/history.ts';
import { positionEndingAt } from '../../core/ledger/seek.ts';
import type { Home } from '../../core/schema/home.ts';
import { userPlaces } from '../settings.ts';
import { notesAbout, notesFile, penFile } from './home-notes.ts';
import { readVerification } from './verification-state.ts';

export type HistoryProblem = { what: string; fix: string };

/** What is lost or damaged, and what to do; null when nothing is known to be. */
export async function findHistoryProblem(home: Home): Promise<HistoryProblem | null> {
  return (looksWhole(home) ? null : await findLoss(home)) ?? findDamage(home);
}

function looksWhole(home: Home): boolean {
  const notes = notesAbout(home).map((name) => notesFile(join(userPlaces().notes, name), 'run'));
  const heads = [penFile(home, 'run'), ...notes].map(readHead).filter((head) => head !== null);
  try {
    const history = openHistory(home.ledgers.run);
    if (history === null) return heads.length === 0;
    const { live } = history;
    try {
      // What is in the archive is compared by whoever loads the archive.
      return heads.length > 0
        ? heads.every(({ offset, hash }) => offset <= live.base || positionEndingAt(live, offset)?.hash === hash)
        : live.size === 0;
    } finally {
      closeHistory(history);
    }
  } catch {
    return false; // what cannot be read is not sound
  }
}

function readHead(file: string): { offset: number; hash: string } | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { offset: number; hash: string };
  } catch {
    return null; // none, or cut: it says nothing
  }
}

async function findLoss(home: Home): Promise<HistoryProblem | null> {
  const [{ checkAnchors }, { messageOf }] = await Promise.all([
    import('./home-anchors.ts'),
    import('../../core/schema/errors.ts'),
  ]);
  try {
    const check = checkAnchors(home, 'run');
    if (check.state !== 'broken') return null;
    return {
      what: check.reason,
      fix: 'Nothing runs until the ledger is restored from a backup or replica, or the loss is accepted: oka ledger accept-rollback',
    };
  } catch (error) {
    return { what: messageOf(error), fix: 'See: oka doctor' };
  }
}

function findDamage(home: Home): HistoryProblem | null {
  const [first, ...more] = readVerification(home, 'run').faults;
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return {
    what: `event ${first.seq} of the run ledger is damaged: ${first.reason}${others}`,
    fix: 'Restore the ledger from a backup or replica; oka verify shows where it breaks',
  };
}
