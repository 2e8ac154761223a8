/** The channel XMPP: what is known of it before it is opened. */
import { certificateField, defineChannel, secretField } from '../channel-definition.ts';
import { XmppChannel } from './xmpp-settings.ts';

const domainOf = (address = ''): string => address.slice(address.indexOf('@') + 1);

export const xmpp = defineChannel({
  kind: 'xmpp',
  label: 'XMPP (Jabber): talk to oka with an account of its own',
  settings: XmppChannel,
  fields: {
    address: {
      value: 'ADDRESS',
      about: 'the address of the account of oka.',
      ask: 'Address of the account of oka, such as oka@example.org',
      isNeeded: true,
    },
    host: { value: 'HOST', about: 'the server, if it is not that of the address.' },
    secret: { ...secretField, ask: 'Name of its password in the vault, such as XMPP', isNeeded: true },
    certificate: certificateField,
  },
  entryOf: ({ address, host, secret, certificate }) => ({ address, host, password: secret, certificate }),
  hostsOf: ({ address }) => [domainOf(address)],
  addressOf: ({ address }) => `whoever is paired, as ${address}`,
  isMessenger: true,
  answeredBy: () => 'words',
  open: async (settings, tools) => {
    const [{ openMessenger }, { xmppMessenger }] = await Promise.all([
      import('../messenger/messenger-channel.ts'),
      import('./xmpp-messenger.ts'),
    ]);
    return openMessenger(xmppMessenger(settings, tools));
  },
});
