/** The channel push: what is known of it before it is opened. */
import { defineChannel } from '../channel-definition.ts';
import { PushChannel } from './push-settings.ts';

export const push = defineChannel({
  kind: 'push',
  label: 'Web Push to the dashboard in a browser or on a phone',
  settings: PushChannel,
  fields: {
    contact: {
      value: 'ADDRESS',
      about: 'mailto: and your address.',
      ask: 'How the push service reaches you, such as mailto:you@example.org',
      isNeeded: true,
    },
  },
  entryOf: ({ contact }) => ({ contact }),
  addressOf: () => 'browsers that subscribed in the dashboard',
  answeredBy: () => 'words',
  open: async (settings, tools, { home, ledger }) => {
    const [{ openPush }, { pushStore }] = await Promise.all([
      import('./push-channel.ts'),
      import('../push-subscriptions.ts'),
    ]);
    const store = pushStore(home, tools.name, ledger);
    store.key(); // the dashboard needs it before the first browser can subscribe
    return openPush(settings, tools, store);
  },
});
