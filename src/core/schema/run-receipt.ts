/** A receipt: a signed proof of what a run did, which anybody verifies with the public key and without the home. */
import { z } from 'zod';
import { Id, Instant, Sha256 } from './names.ts';

const seq = z.int().positive();

const ReceiptBody = z.strictObject({
  oka: z.literal('receipt').describe('What this file is.'),
  v: z.literal(1).describe('Version of the format.'),
  home: z.string().max(100).describe('The id of the home.'),
  key: z.string().max(200).describe('The public key of the home.'),
  run: Id,
  made_at: Instant.describe('When it was exported.'),
  records: z
    .array(z.string().max(4 * 1024 * 1024))
    .min(1)
    .max(1_000_000)
    .describe('The records of the run and of the runs inside it, as they are in the ledger.'),
  between: z
    .array(z.tuple([seq, Sha256]))
    .max(1_000_000)
    .describe('Seq and hash of the records of other runs in between; their content is not part of the receipt.'),
  results: z
    .array(z.strictObject({ file: z.string().max(4096), bytes: z.int().nonnegative(), sha256: Sha256 }))
    .max(100_000)
    .describe('Files in the folder of results when the receipt was exported.'),
  head: z
    .strictObject({
      v: z.literal(1),
      home: z.string().max(100),
      pen: z.literal('run'),
      seq,
      offset: z.int().nonnegative(),
      hash: Sha256,
      at: Instant,
      signature: z.string().max(200),
    })
    .describe('The last record of the run as a signed anchor of the ledger.'),
});

export type ReceiptBody = z.infer<typeof ReceiptBody>;
export const RunReceipt = ReceiptBody.extend({
  signature: z.string().max(200).describe('By the key of the home, over everything above.'),
}).describe('A signed proof of what a run did.');
export type RunReceipt = z.infer<typeof RunReceipt>;
