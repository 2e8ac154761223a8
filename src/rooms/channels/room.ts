/** What reaching people contributes: messages about what needs them or is done, through the channels of channels.json. */
import { defineRoom } from '../../core/schema/room.ts';
import type { Log } from '../../kit/log-line.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { TakeCalls } from './inbound-hooks.ts';
import type { ReachingPort } from '../../kit/ports/reaching-port.ts';

const { home, ledger, projections, vault, egress, reaching: reachingPort } = ports;

export const reaching = defineRoom({
  name: 'rooms/channels',
  events: [
    'delivery.started',
    'delivery.ended',
    'channel.received',
    'channel.subscribed',
    'channel.paired',
    'slot.came',
  ],
  projections: async () => [(await import('./delivery-state.ts')).reachingProjection],
  findings: async (at) => {
    const { hasChannels } = await import('./lazy-reaching.ts');
    const { isDesktopServed } = await import('./desktop/desktop-note.ts');
    if (!hasChannels(at) && !isDesktopServed(at)) return [];
    return (await import('./channels-status.ts')).channelFindings(at);
  },
  schemas: async () => ({ channels: (await import('./channel-kinds.ts')).ChannelsFile }),
  needs: { home, ledger, projections, vault, egress },
  gives: { reaching: reachingPort },
  open: async ({ home: at, ledger: written, projections: folds, vault: secrets, egress: routes }) => {
    const { lazyReaching } = await import('./lazy-reaching.ts');
    const reach = async (): Promise<ReachingPort> => {
      const [{ openReaching }, { accessRoute }] = await Promise.all([
        import('./open-reaching.ts'),
        import('../../kit/egress/server-access.ts'),
      ]);
      return openReaching({
        home: at,
        ledger: written,
        projections: folds,
        redact: secrets.redact,
        route: accessRoute((name) => secrets.find(name), routes),
      });
    };
    const takeCalls = async (log: Log): Promise<TakeCalls> =>
      (await import('./inbound-hooks.ts')).openHookCalls({
        home: at,
        ledger: written,
        projections: folds,
        find: (name) => secrets.find(name),
        log,
      });
    const opened = lazyReaching(at, reach, takeCalls);
    return {
      gives: { reaching: opened },
      intakes: {
        push: async ({ channel, subscription, token }) => ({
          answer: Promise.resolve(
            await (token === undefined ? opened.subscribe(channel, subscription) : opened.press(channel, token)),
          ),
        }),
        unpair: async (asked) => {
          const { unpair } = await import('./messenger/unpair.ts');
          return { answer: Promise.resolve(await unpair(asked, folds, written)) };
        },
        test_channel: async ({ channel }) => {
          const answer = opened.test(channel);
          answer.catch(() => undefined); // whoever asked may have gone
          return { answer };
        },
      },
      poll: opened.poll,
      close: opened.close,
    };
  },
});
