/** The entry of a channel of the kind ntfy in channels.json. */
import { z } from 'zod';
import { Fingerprint, SecretText } from '../../../core/schema/server-settings.ts';
import { Address, sharedSettings } from '../channel-definition.ts';

export const NtfyChannel = z
  .strictObject({
    kind: z.literal('ntfy').describe('A topic of an ntfy server.'),
    url: Address.describe('The server, such as https://ntfy.example.org.'),
    topic: z
      .string()
      .regex(/^[-_A-Za-z0-9]{1,64}$/)
      .describe('The topic that your phone subscribes to.'),
    token: SecretText.optional().describe('Its access token, written as `secret:NAME`; it writes to the topic.'),
    answers: z
      .strictObject({
        topic: z
          .string()
          .regex(/^[-_A-Za-z0-9]{1,64}$/)
          .describe('The topic that answers are written to.'),
        button_token: SecretText.optional().describe(
          'A token that may only write to this topic. Every subscriber sees it, since it is part of the buttons.',
        ),
        token: SecretText.optional().describe('A token that may read this topic; `token` when left out.'),
      })
      .optional()
      .describe('Left out, messages have no buttons and nothing is received.'),
    certificate: Fingerprint.optional(),
    ...sharedSettings,
  })
  .describe('Notifications through ntfy.');
export type NtfyChannel = z.infer<typeof NtfyChannel>;
