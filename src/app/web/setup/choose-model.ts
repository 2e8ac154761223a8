/**
 * Owns: a model that is chosen on the set-up page, on its way to the worker, which tries it and stores it.
 *
 * M1 A key is encrypted to the public key of the vault in this process before anything is written; the worker alone can
 *    open it. It is in no answer and in no log.
 */
import { z } from 'zod';
import { sealFor } from '../../../kit/vault/open-vault.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import { Id } from '../../../core/schema/names.ts';
import { request, type Submitted } from '../api/intake-routes.ts';

export const ModelChoice = z
  .strictObject({
    act: z.enum(['use', 'keep', 'later']).describe('Set it if it answers; set it unasked; do not offer it any more.'),
    request: Id.optional().describe('A name for this request, which the query `setup` repeats.'),
    model: z.string().min(1).max(300).optional().describe('provider:model.'),
    url: z.string().max(2000).optional().describe('The address of its server, if it is not the usual one.'),
    key: z.string().max(10_000).optional().describe('A key that is not in the vault yet.'),
  })
  .describe('The language model that is to be used.');
export type ModelChoice = z.infer<typeof ModelChoice>;

/** `new_key`: where the key of a new vault was stored; a person should make a copy of it. */
type Chosen = Submitted & { new_key: string | null };

export async function chooseModel(home: Home, choice: ModelChoice, signal: AbortSignal): Promise<Chosen> {
  const { key = '', ...rest } = choice;
  if (key.trim() === '') return { ...(await request(home, { kind: 'model', ...rest }, signal)), new_key: null };
  const { recipient, new_key } = await askRecipient(home, signal);
  const sealed = await sealFor([recipient], Buffer.from(key.trim()));
  const intake: Intake = { kind: 'model', ...rest, sealed_key: Buffer.from(sealed).toString('base64') };
  return { ...(await request(home, intake, signal)), new_key };
}

const Recipient = z.object({ recipient: z.string(), new_key: z.string().nullable() });

async function askRecipient(home: Home, signal: AbortSignal): Promise<z.infer<typeof Recipient>> {
  const { success, data } = Recipient.safeParse((await request(home, { kind: 'vault' }, signal)).done);
  if (success) return data;
  throw new OkaError('not-set-up', 'a key can be stored only while the worker responds', { fix: 'Start it: oka up' });
}
