/** What applies to all channels of .oka/rules/channels.json: what is announced, and when. The kinds are in rooms/channels. */
import { z } from 'zod';
import { SideEffectClass } from './effect.ts';

/** A part of the names of deliveries, secrets (`--tool channels.<name>`) and files. */
export const CHANNEL_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

export const AnnouncementKind = z
  .enum(['needs_you', 'done', 'failed', 'digest', 'budget'])
  .describe('What a message is about.');
export type AnnouncementKind = z.infer<typeof AnnouncementKind>;

const Address = z.url({ protocol: /^https?$/ }).max(2000);
const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
  .describe('A time of the day, such as 08:00.');
export const ApprovableClasses = z.array(SideEffectClass.exclude(['deny'])).max(3);

export const ChannelPolicy = z
  .strictObject({
    announce: z.array(AnnouncementKind).max(5).default(['needs_you']).describe('What is announced.'),
    quiet: z
      .strictObject({ from: Time, to: Time })
      .optional()
      .describe('No message is sent between these times; what came up is sent afterwards, as one message.'),
    time_zone: z.string().max(80).optional().describe('For all times here; that of the machine when left out.'),
    digest_at: Time.default('08:00').describe('When the digest of the day before is sent, where it is announced.'),
    escalation: z
      .strictObject({
        after_minutes: z
          .number()
          .positive()
          .max(10_080)
          .default(30)
          .describe('Unanswered for so long, a question goes to the next channel; after the last one it is repeated.'),
        reminders: z.int().min(0).max(2).default(2).describe('How often it is repeated.'),
        finally: z
          .enum(['deny', 'wait'])
          .default('deny')
          .describe('deny: an approval is denied in the end, and a question gets its default answer, if it has one.'),
      })
      .optional()
      .describe('Left out, a question goes to all channels at once, and is not repeated.'),
    approve_by_button: ApprovableClasses.default([]).describe(
      'Classes of calls that may be approved from a message. Denying is always possible.',
    ),
    per_hour: z
      .int()
      .min(2)
      .max(600)
      .default(30)
      .describe('How many messages a channel gets in an hour at most; more is put together.'),
    desktop: z
      .boolean()
      .default(true)
      .describe(
        'Whether `oka up` on a terminal of a desktop shows notifications there, as long as there is no channel.',
      ),
    dashboard: Address.optional().describe('The address of the dashboard as your phone sees it; messages link to it.'),
    heartbeat: z
      .strictObject({
        url: Address.describe('Asked for by GET. Whoever owns it notices when it is silent.'),
        every_minutes: z.number().min(1).max(10_080).default(1440).describe('How often.'),
      })
      .optional()
      .describe('So that a worker that is dead is noticed elsewhere.'),
  })
  .describe('What applies to all channels.');
export type ChannelPolicy = z.infer<typeof ChannelPolicy>;
