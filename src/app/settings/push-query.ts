/** Whether this home sends Web Push, and with which key a browser subscribes. */
import { z } from 'zod';
import { loadChannels } from '../../rooms/channels/channels-file.ts';
import { readPushKey } from '../../rooms/channels/push-subscriptions.ts';
import { defineQuery } from '../../kit/web/page.ts';

export const PushAnswer = z.strictObject({
  channel: z.string().nullable().describe('The channel of channels.json; null when there is none.'),
  key: z.string().nullable().describe('The public key of this home; null until the worker has made one.'),
});

export const pushQuery = defineQuery({
  params: z.object({}),
  answer: PushAnswer,
  read: ({ home }) => {
    const found = [...loadChannels(home).channels].find(([, { kind }]) => kind === 'push');
    return Promise.resolve({ channel: found?.[0] ?? null, key: found === undefined ? null : readPushKey(home) });
  },
});
