/**
 * Reads a ledger part by part and recomputes its hashes, in a thread of its own. Imports nothing by a bare name.
 * It is sent where to begin, and answers with how far it is, until the end or the first bad line.
 */
import { checkPart, type ChainFault, type ChainPosition } from './chain-check.ts';

export type ChainRequest = { address: string; key: string; pen: string; from: ChainPosition };
export type ChainReport = {
  position: ChainPosition;
  /** Where the ledger ends. */
  size: number;
  fault: ChainFault | null;
  isOver: boolean;
  /** Why it could not go on. */
  problem: string | null;
};

onmessage = ({ data }: MessageEvent<ChainRequest>) => void check(data);

async function check({ address, key, pen, from }: ChainRequest): Promise<void> {
  let position = from;
  const report = (given: Partial<ChainReport> & { size: number }): void =>
    postMessage({ position, fault: null, isOver: false, problem: null, ...given });
  try {
    for (;;) {
      const { text, end, size } = await readPart(`${address}?pen=${pen}&offset=${position.offset}`, key);
      const { position: reached, fault, unfinished } = await checkPart(text, position);
      position = reached;
      const cut = unfinished > 0 && end < size ? tooLong(position, text) : null;
      const isOver = fault !== null || cut !== null || end >= size;
      report({ size, fault: fault ?? cut, isOver });
      if (isOver) return;
    }
  } catch (error) {
    report({ size: position.offset, isOver: true, problem: error instanceof Error ? error.message : String(error) });
  }
}

const tooLong = ({ seq, offset }: ChainPosition, text: string): ChainFault => ({
  seq: seq + 1,
  offset,
  reason: 'the record has no end',
  line: text.slice(text.lastIndexOf('\n') + 1, 2000),
});

async function readPart(address: string, key: string): Promise<{ text: string; end: number; size: number }> {
  const response = await fetch(address, { credentials: 'same-origin', headers: { 'X-Oka-Key': key } });
  if (!response.ok) throw new Error(`The dashboard answered ${response.status}.`);
  return (await response.json()) as { text: string; end: number; size: number };
}
