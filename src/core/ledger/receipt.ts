/**
 * Owns: making and verifying receipts of runs.
 *
 * C1 A record in a receipt has its own bytes, so its hash proves its content. Records of other runs are there by seq and
 *    hash only: that they follow one another is what the signature of the home attests.
 * C2 Nothing is exported from a ledger whose chain is broken anywhere behind the first record of the run.
 */
import { type KeyObject, sign, verify } from 'node:crypto';
import { OkaError } from '../schema/errors.ts';
import type { ReceiptBody, RunReceipt } from '../schema/run-receipt.ts';
import { isSignedBy, signAnchor } from './anchor.ts';
import { checkLink } from './hash-chain.ts';
import { closeHistory, openHistory, readLinesAfter } from './history.ts';
import { type Position, parseLine, prevOf, seqOf, verifiedHash } from './line.ts';
import { damagedError } from './recover.ts';
import { offsetOfSeq } from './seek.ts';

type ReceiptOf = { home: string; key: string; run: string; results: ReceiptBody['results']; now: Date };

/** `range`: the first and the last record of the run. */
export async function makeReceipt(
  ledgerFile: string,
  range: { from: number; to: number },
  { home, key, run, results, now }: ReceiptOf,
  signing: KeyObject,
): Promise<RunReceipt> {
  const { records, between, last } = await collectRecords(ledgerFile, range, run);
  const at = now.toISOString();
  const head = signAnchor({ v: 1, home, pen: 'run', ...last, at }, signing) as ReceiptBody['head'];
  const about = { oka: 'receipt', v: 1, home, key, run, made_at: at } as const;
  const body: ReceiptBody = { ...about, records, between, results, head };
  return { ...body, signature: sign(null, signedBytes(body), signing).toString('base64') };
}

type Collected = Pick<ReceiptBody, 'records' | 'between'> & { last: Position };

async function collectRecords(file: string, range: { from: number; to: number }, run: string): Promise<Collected> {
  const history = openHistory(file);
  if (history === null) throw new OkaError('no-such-run', `${file} does not exist`);
  const found: Collected = { records: [], between: [], last: { seq: 0, offset: 0, hash: '' } };
  let end: Position | null = null;
  try {
    const segment = history.segments.find(({ last }) => last >= range.from);
    const start = segment === undefined ? offsetOfSeq(history.live, range.from) : segment.start;
    for (const source of readLinesAfter(history, start))
      for await (const lines of source)
        for (const raw of lines) {
          if (!raw.closed) continue;
          const seq = seqOf(raw.bytes);
          if (seq < range.from) continue;
          const link = checkLink(raw, end ?? { seq: range.from - 1, offset: raw.start, hash: prevOf(raw.bytes) });
          if ('fault' in link) throw damagedError(file, link.fault);
          end = link.position;
          if (seq > range.to) continue;
          if (isOfRun(parseLine(raw.bytes).run, run)) found.records.push(raw.bytes.toString('utf8'));
          else found.between.push([seq, end.hash]);
          found.last = end;
        }
    return found;
  } finally {
    closeHistory(history);
  }
}

/** Runs inside a run have its name and a dot before their own. */
const isOfRun = (name: string | null, run: string): boolean => name === run || name?.startsWith(`${run}.`) === true;

/** Why a receipt proves nothing; null when it is valid for this key. */
export function faultOfReceipt(receipt: RunReceipt, key: KeyObject): string | null {
  const { signature, ...body } = receipt;
  if (!verify(null, signedBytes(body), key, Buffer.from(signature, 'base64')))
    return 'it was changed, or signed by another key';
  if (!isSignedBy(receipt.head, key)) return 'its head was not signed by this key';
  if (receipt.head.home !== receipt.home) return 'its head belongs to another home';
  return faultOfChain(receipt);
}

function faultOfChain({ records, between, head, run }: RunReceipt): string | null {
  const links = [...records.map(linkOf), ...between.map(([seq, hash]): ReceiptLink => ({ seq, hash, prev: null }))];
  const chain = links.toSorted((a, b) => a.seq - b.seq);
  for (const [index, { seq, hash, prev, owner }] of chain.entries()) {
    if (hash === null) return `record ${seq} does not match its hash`;
    if (owner !== undefined && !isOfRun(owner, run)) return `record ${seq} belongs to another run`;
    const before = chain[index - 1];
    if (before === undefined) continue;
    if (seq !== before.seq + 1) return `records are missing behind ${before.seq}`;
    if (prev !== null && prev !== before.hash) return `record ${seq} does not follow record ${before.seq}`;
  }
  const last = chain.at(-1);
  return last?.seq === head.seq && last.hash === head.hash ? null : 'its last record is not the signed head';
}

type ReceiptLink = { seq: number; hash: string | null; prev: string | null; owner?: string | null };

function linkOf(record: string): ReceiptLink {
  const bytes = Buffer.from(record);
  const hash = verifiedHash(bytes);
  return { seq: seqOf(bytes), hash, prev: prevOf(bytes), ...(hash === null ? {} : { owner: parseLine(bytes).run }) };
}

function signedBytes(body: ReceiptBody): Buffer {
  return Buffer.from(`oka receipt ${JSON.stringify(body)}`);
}
