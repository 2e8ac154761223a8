import { z } from 'zod';
import { Id } from './names.ts';

export const Message = z
  .strictObject({
    id: Id,
    thread: Id.describe('The conversation it belongs to.'),
    from: z.string().max(120).describe('Who wrote it: a person or an agent.'),
    text: z.string().max(100_000).describe('The words, with @mentions.'),
    mentions: z.array(z.string().max(120)).max(50).default([]).describe('Agents that are to answer.'),
    depth: z.int().min(0).max(100).default(0).describe('How many forwards are between this and a person.'),
  })
  .describe('One message of a conversation between people and agents.');
export type Message = z.infer<typeof Message>;
