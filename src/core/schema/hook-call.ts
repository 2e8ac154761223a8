/** A call of a hook, as the web server stores it for the worker. Nobody has checked its signature yet. */
import { z } from 'zod';
import { CHANNEL_NAME } from './channel.ts';

export const MOST_CALL_BYTES = 262_144;

export const HookCall = z
  .strictObject({
    hook: z.string().regex(CHANNEL_NAME).describe('The name of the hook.'),
    id: z
      .string()
      .regex(/^[\w.:~-]{1,200}$/)
      .describe('webhook-id: the same when it is sent again.'),
    timestamp: z
      .string()
      .regex(/^\d{1,12}$/)
      .describe('webhook-timestamp: when it was signed, in seconds.'),
    signature: z.string().min(1).max(2000).describe('webhook-signature: one or more, with a space in between.'),
    body: z.string().max(MOST_CALL_BYTES).describe('What was sent.'),
    received: z.number().describe('When it came in, by which its age is judged: the worker may look later.'),
  })
  .describe('A call of a hook.');
export type HookCall = z.infer<typeof HookCall>;

export type HookOutcome = { status: 'accepted' | 'repeated'; task: string } | { status: 'refused'; reason: string };
