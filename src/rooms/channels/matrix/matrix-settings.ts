/** The entry of a channel of the kind matrix in channels.json. */
import { z } from 'zod';
import { SecretText } from '../../../core/schema/server-settings.ts';
import { Address, sharedSettings } from '../channel-definition.ts';

export const MatrixChannel = z
  .strictObject({
    kind: z.literal('matrix').describe('An account of Matrix that you talk to.'),
    server: Address.describe('Its homeserver, such as https://matrix.example.org.'),
    token: SecretText.describe('The access token of the account, written as `secret:NAME`.'),
    ...sharedSettings,
  })
  .describe('Talking to oka through Matrix.');
export type MatrixChannel = z.infer<typeof MatrixChannel>;
