/** The channel Telegram: what is known of it before it is opened. */
import { defineChannel, secretField } from '../channel-definition.ts';
import { TelegramChannel } from './telegram-settings.ts';

const API = 'https://api.telegram.org';

export const telegram = defineChannel({
  kind: 'telegram',
  label: 'Telegram: talk to oka, answer with buttons',
  settings: TelegramChannel,
  fields: {
    secret: {
      ...secretField,
      ask: 'Name of the token of your bot in the vault, such as TELEGRAM (BotFather gives it)',
      isNeeded: true,
    },
    api: { value: 'URL', about: `the server of the Bot API, if it is not ${API}.` },
  },
  entryOf: ({ secret, api }) => ({ token: secret, api }),
  hostsOf: ({ api = API }) => [new URL(api).host],
  addressOf: ({ api }) => `whoever is paired, at ${new URL(api).host}`,
  isMessenger: true,
  answeredBy: () => 'words',
  open: async (settings, tools) => {
    const [{ openMessenger }, { telegramMessenger }] = await Promise.all([
      import('../messenger/messenger-channel.ts'),
      import('./telegram-messenger.ts'),
    ]);
    return openMessenger(telegramMessenger(settings, tools));
  },
});
