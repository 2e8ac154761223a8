/** What the browser contributes: its tools, once the operator has switched it on. */
import type { BrowserConfig } from '../../core/schema/browser.ts';
import { configPort, defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, egress } = ports;

export const browsing = defineRoom({
  name: 'rooms/browsing',
  tools: [
    'browser.open',
    'browser.look',
    'browser.wait',
    'browser.back',
    'browser.click',
    'browser.type',
    'browser.choose',
    'browser.press',
    'browser.send',
    'browser.request',
    'browser.follow',
  ],
  detachedTools: async (place) => {
    if (place.purpose === 'replay') return []; // pages have changed since: what they said then is in the record
    return (await import('./open-browsing.ts')).simulatedBrowserTools(place.home);
  },
  config: async () => ({ browser: (await import('../../core/schema/browser.ts')).BrowserConfig }),
  needs: { home, egress, settings: configPort<BrowserConfig>('browser') },
  open: async (needed) => (needed.settings.on ? (await import('./open-browsing.ts')).openBrowsing(needed) : {}),
});
