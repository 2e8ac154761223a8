/** Verifies a complete ledger, archive included, byte by byte. */
import type { Fault } from './hash-chain.ts';
import { closeHistory, isTornEnd, openHistory, walkChain } from './history.ts';
import { START } from './line.ts';

type Verdict =
  | { state: 'absent' }
  | { state: 'intact'; events: number; head: string; bytes: number }
  | { state: 'torn'; events: number; head: string; fault: Fault }
  | { state: 'damaged'; events: number; head: string; fault: Fault };

export async function verifyLedger(ledgerFile: string, onProgress?: (bytes: number) => void): Promise<Verdict> {
  const history = openHistory(ledgerFile);
  if (history === null) return { state: 'absent' };
  try {
    const { end, fault } = await walkChain(history, START, (raw) => onProgress?.(raw.end));
    if (fault === null) return { state: 'intact', events: end.seq, head: end.hash, bytes: end.offset };
    const state = (await isTornEnd(history, fault)) ? 'torn' : 'damaged';
    return { state, events: end.seq, head: end.hash, fault };
  } finally {
    closeHistory(history);
  }
}
