/** Owns: POST /api/v1/chat/typing: while a person types, agents of that conversation do not ask each other anything. */
import type { Hono } from 'hono';
import { z } from 'zod';
import { endTyping, noteTyping, typingFolders } from '../typing-files.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { ConversationId } from '../../../core/schema/chat.ts';
import type { Home } from '../../../core/schema/home.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import { readJsonBody } from '../../../kit/web/api/request-body.ts';

const Typing = z.strictObject({ conversation: ConversationId, typing: z.boolean() });

export function addTypingRoute(app: Hono, home: Home): void {
  const [, folder] = typingFolders(home.oka);
  app.post('/api/v1/chat/typing', async (context) => {
    try {
      const { success, data } = Typing.safeParse(await readJsonBody(context));
      if (!success) throw new OkaError('usage', 'say which conversation, and whether somebody types in it');
      if (data.typing) noteTyping(folder, data.conversation);
      else endTyping(folder, data.conversation);
      return context.json({});
    } catch (error) {
      return problemOf(context, error);
    }
  });
}
