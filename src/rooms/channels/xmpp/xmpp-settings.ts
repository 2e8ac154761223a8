/** The entry of a channel of the kind xmpp in channels.json. */
import { z } from 'zod';
import { Fingerprint, SecretText } from '../../../core/schema/server-settings.ts';
import { sharedSettings } from '../channel-definition.ts';

const HostName = z.string().min(1).max(253);

export const XmppChannel = z
  .strictObject({
    kind: z.literal('xmpp').describe('An account of XMPP that you talk to.'),
    address: z
      .string()
      .regex(/^[^\s@/<>"'&]{1,200}@[^\s@/<>"'&]{1,200}$/)
      .describe('The address of the account, such as oka@example.org.'),
    password: SecretText.describe('Its password, written as `secret:NAME`.'),
    host: HostName.optional().describe('Its server, where that is not the part of the address behind the @.'),
    port: z.int().min(1).max(65_535).default(5222).describe('The port of the server.'),
    security: z.enum(['tls', 'starttls']).default('starttls').describe('How the connection is encrypted.'),
    certificate: Fingerprint.optional(),
    file_hosts: z
      .array(HostName)
      .max(20)
      .default([])
      .describe('Servers that files are fetched from and uploaded to, besides that of the address and those below it.'),
    ...sharedSettings,
  })
  .describe('Talking to oka through XMPP.');
export type XmppChannel = z.infer<typeof XmppChannel>;
