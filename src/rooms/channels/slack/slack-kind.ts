/** The channel Slack: what is known of it before it is opened. */
import { defineChannel, secretField } from '../channel-definition.ts';
import { SlackChannel } from './slack-settings.ts';

const API = 'https://slack.com';

export const slack = defineChannel({
  kind: 'slack',
  label: 'Slack: talk to oka, answer with buttons',
  settings: SlackChannel,
  fields: {
    secret: {
      ...secretField,
      ask: 'Name of the token of its bot (xoxb-…) in the vault, such as SLACK',
      isNeeded: true,
    },
    'app-secret': {
      value: 'NAME',
      about: 'the secret of the vault that is its app-level token.',
      ask: 'Name of its app-level token (xapp-…) in the vault, such as SLACK_APP',
      isNeeded: true,
      isSecret: true,
    },
    api: { value: 'URL', about: `the server of the Web API, if it is not ${API}.` },
  },
  entryOf: ({ secret, 'app-secret': app, api }) => ({ token: secret, app_token: app, api }),
  hostsOf: ({ api = API }) => [new URL(api).host],
  addressOf: ({ api }) => `whoever is paired, at ${new URL(api).host}`,
  isMessenger: true,
  answeredBy: () => 'words',
  open: async (settings, tools) => {
    const [{ openMessenger }, { slackMessenger }] = await Promise.all([
      import('../messenger/messenger-channel.ts'),
      import('./slack-messenger.ts'),
    ]);
    return openMessenger(slackMessenger(settings, tools));
  },
});
