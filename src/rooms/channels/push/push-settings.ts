/** The entry of a channel of the kind push in channels.json. */
import { z } from 'zod';
import { sharedSettings } from '../channel-definition.ts';

export const PushChannel = z
  .strictObject({
    kind: z.literal('push').describe('Web Push to browsers and phones that have the dashboard installed.'),
    contact: z
      .string()
      .regex(/^(mailto:|https:)/)
      .max(320)
      .describe('How the push service reaches you, such as mailto:you@example.org; it is part of every request.'),
    hosts: z
      .array(z.string().min(1).max(253))
      .max(20)
      .default([])
      .describe('Hosts of push services besides those of the known browsers.'),
    ...sharedSettings,
  })
  .describe('Web Push. It needs the dashboard over https, and the push service of the browser.');
export type PushChannel = z.infer<typeof PushChannel>;
