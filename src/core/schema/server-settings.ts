/** What people write about a server of theirs, wherever it is used. */
import { z } from 'zod';

export const SecretText = z
  .string()
  .regex(/^secret:[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/)
  .describe('A secret of the vault, written as `secret:NAME`.');

export const Fingerprint = z
  .string()
  .regex(/^([0-9a-f]{2}:?){31}[0-9a-f]{2}$/i)
  .describe(
    'The SHA-256 fingerprint of a private certificate. Only this certificate is accepted; without it, the authorities of the machine decide.',
  );

export const mailServerSettings = {
  host: z.string().min(1).max(253).describe('Its name or address.'),
  port: z.int().min(1).max(65_535).describe('Its port.'),
  security: z.enum(['tls', 'starttls', 'none']).default('tls').describe('none is possible on this machine only.'),
  user: z.string().min(1).max(320).optional().describe('The name to log in with.'),
  password: SecretText.optional().describe('The password, written as `secret:NAME`.'),
  certificate: Fingerprint.optional(),
};
