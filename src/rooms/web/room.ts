/** What searching the web contributes: web.search and web.read, once the operator has named a search server. */
import { configPort, defineRoom } from '../../core/schema/room.ts';
import type { SearchConfig } from '../../core/schema/search.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { artifacts, egress, policy, vault } = ports;

export const webSearch = defineRoom({
  name: 'rooms/web',
  tools: ['web.search', 'web.read'],
  detachedTools: async (place) => {
    if (place.purpose === 'replay') return []; // pages have changed since: what they said then is in the record
    return (await import('./web-tools.ts')).simulatedWebTools(place.home);
  },
  config: async () => ({ search: (await import('../../core/schema/search.ts')).SearchConfig }),
  needs: { search: configPort<SearchConfig>('search'), artifacts, egress, policy, vault },
  open: async (needed) => {
    if (needed.search.provider === 'none') return {};
    return { tools: (await import('./web-tools.ts')).webTools(needed) };
  },
});
