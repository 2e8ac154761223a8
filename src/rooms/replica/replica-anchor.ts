/**
 * Owns: the replica as an anchor of the run ledger, where this user has noted nothing about the home: on a new machine,
 * a copy of it from an older backup looks complete, and only the replica knows that there was more.
 *
 * A replica that does not answer soon, is switched off or knows nothing of this home says nothing; work does not depend
 * on it. What a person has accepted as lost is not asked for again.
 */
import { readEvents } from '../../core/ledger/read-events.ts';
import type { Claim } from '../../core/ledger/anchor.ts';
import { closeHistory, openHistory } from '../../core/ledger/history.ts';
import { offsetOfSeq, positionEndingAt } from '../../core/ledger/seek.ts';
import { isSwitchedOff } from './copy/state.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import { connectReplica, ledgerName, replicaFolder, replicaUrl, shownUrl } from './replica-connection.ts';

const PATIENCE_MS = 3000;

/** The last record that the replica has of the run ledger; null when it says nothing. */
export async function claimOfReplica(home: Home, config: Config): Promise<Claim | null> {
  if (replicaUrl(config) === null || isSwitchedOff(replicaFolder(home))) return null;
  const head = await headOfReplica(home, config).catch(() => null);
  if (head === null) return null;
  const place = placeBehind(home.ledgers.run, head.seq);
  if (place === null || (place.hash !== head.hash && (await isAccepted(home, head.hash)))) return null;
  return { ...head, offset: place.offset, source: `the replica ${shownUrl(config)}` };
}

async function headOfReplica(home: Home, config: Config): Promise<{ seq: number; hash: string } | null> {
  const ledger = await ledgerName(home, config);
  if (ledger === null) return null;
  const { replica } = await connectReplica(home, config);
  return replica.head({ ledger, pen: 'run' }, AbortSignal.timeout(PATIENCE_MS));
}

/** Where the record with this seq ends, and its hash; null when it is in the archive, which is not compared by hash. */
function placeBehind(ledgerFile: string, seq: number): { offset: number; hash: string | null } | null {
  const history = openHistory(ledgerFile);
  if (history === null) return { offset: 0, hash: null };
  try {
    const { live, segments } = history;
    const offset = offsetOfSeq(live, seq + 1);
    if (segments.length > 0 && offset <= live.base) return null;
    const found = positionEndingAt(live, offset);
    return { offset, hash: found?.seq === seq ? found.hash : null };
  } finally {
    closeHistory(history);
  }
}

async function isAccepted(home: Home, hash: string): Promise<boolean> {
  for await (const event of readEvents(home.ledgers.run, { type: 'ledger.rolled_back' }))
    if (event.type === 'ledger.rolled_back' && event.data.expected.hash === hash) return true;
  return false;
}
