/** The entry of a channel of the kind slack in channels.json. */
import { z } from 'zod';
import { SecretText } from '../../../core/schema/server-settings.ts';
import { Address, sharedSettings } from '../channel-definition.ts';

export const SlackChannel = z
  .strictObject({
    kind: z.literal('slack').describe('An app of Slack that you talk to.'),
    token: SecretText.describe('The token of its bot (xoxb-…), written as `secret:NAME`.'),
    app_token: SecretText.describe('Its app-level token with connections:write (xapp-…), written as `secret:NAME`.'),
    api: Address.default('https://slack.com').describe('The server of the Web API.'),
    ...sharedSettings,
  })
  .describe('Talking to oka through Slack.');
export type SlackChannel = z.infer<typeof SlackChannel>;
