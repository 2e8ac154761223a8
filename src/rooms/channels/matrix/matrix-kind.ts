/** The channel Matrix: what is known of it before it is opened. */
import { defineChannel, secretField } from '../channel-definition.ts';
import { MatrixChannel } from './matrix-settings.ts';

export const matrix = defineChannel({
  kind: 'matrix',
  label: 'Matrix: talk to oka in a room of your own',
  settings: MatrixChannel,
  fields: {
    url: {
      value: 'URL',
      about: 'the address of its server.',
      ask: 'Address of the homeserver, such as https://matrix.example.org',
      isNeeded: true,
    },
    secret: {
      ...secretField,
      ask: 'Name of the access token of its account in the vault, such as MATRIX',
      isNeeded: true,
    },
  },
  entryOf: ({ url, secret }) => ({ server: url, token: secret }),
  hostsOf: ({ url = '' }) => [new URL(url).host],
  addressOf: ({ server }) => `whoever is paired, at ${new URL(server).host}`,
  isMessenger: true,
  answeredBy: () => 'words',
  open: async (settings, tools) => {
    const [{ openMessenger }, { matrixMessenger }] = await Promise.all([
      import('../messenger/messenger-channel.ts'),
      import('./matrix-messenger.ts'),
    ]);
    return openMessenger(matrixMessenger(settings, tools));
  },
});
