/** The entry of a channel of the kind telegram in channels.json. */
import { z } from 'zod';
import { SecretText } from '../../../core/schema/server-settings.ts';
import { Address, sharedSettings } from '../channel-definition.ts';

export const TelegramChannel = z
  .strictObject({
    kind: z.literal('telegram').describe('A bot of Telegram that you talk to.'),
    token: SecretText.describe('The token of the bot, written as `secret:NAME`.'),
    api: Address.default('https://api.telegram.org').describe('The server of the Bot API.'),
    ...sharedSettings,
  })
  .describe('Talking to oka through Telegram.');
export type TelegramChannel = z.infer<typeof TelegramChannel>;
