/** Owns: reading what is stored, never more at once than one call may read. */
import { getDocumentSize } from 'convex/values';
import type { Reading, Row } from './typed.ts';
import { limits, type Pen, type WireEvent } from './wire.ts';

/** One ledger file of one home. */
export type Of = { ledger: string; pen: Pen };

export function headOf(ctx: Reading, { ledger, pen }: Of): Promise<Row<'heads'> | null> {
  return ctx.db
    .query('heads')
    .withIndex('by_pen', (index) => index.eq('ledger', ledger).eq('pen', pen))
    .unique();
}

/** Events in order, from a seq up to and with another; fewer when they are large. */
export function storedEvents(
  ctx: Reading,
  { ledger, pen }: Of,
  from: number,
  to: number,
  most: number = limits.pageEvents,
): Promise<Row<'events'>[]> {
  const rows = ctx.db
    .query('events')
    .withIndex('by_seq', (index) => index.eq('ledger', ledger).eq('pen', pen).gte('seq', from).lte('seq', to));
  return takePage(rows, Math.min(most, limits.pageEvents));
}

/** The first rows: at most so many, and at most about as many bytes as one answer may have. */
export async function takePage<Document extends Record<string, unknown>>(
  rows: AsyncIterable<Document>,
  most: number,
): Promise<Document[]> {
  const found: Document[] = [];
  let bytes = 0;
  if (most <= 0) return found;
  for await (const row of rows) {
    found.push(row);
    bytes += getDocumentSize(row as never);
    if (found.length >= most || bytes >= limits.pageBytes) break;
  }
  return found;
}

export function wireOf(event: WireEvent): WireEvent {
  const { seq, type, run, at, cause, v, d, prev, hash, body } = event;
  return { seq, type, run, at, cause, v, d, prev, hash, body };
}

/** What of a row is shown. */
export function withoutInternals<Field extends string, Document extends Record<Field, unknown>>(
  fields: Readonly<Record<Field, unknown>>,
  row: Document,
): Pick<Document, Field> {
  const names = Object.keys(fields) as Field[];
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Document, Field>;
}
