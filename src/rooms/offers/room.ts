/** What choosing contributes: few tools and skills in each prompt, and a tool that finds the others. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { tools, skills, offers } = ports;

export const offering = defineRoom({
  name: 'rooms/offers',
  tools: ['tools.search'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // servers have other tools now: what was found then is in the record
    const { toolsSearchTool } = await import('./tools-search.ts');
    return [toolsSearchTool(() => ({ tools: [], skills: [] }))];
  },
  needs: { tools, skills },
  gives: { offers },
  open: async (needed) => {
    const [{ offerChoice }, { toolsSearchTool }] = await Promise.all([
      import('./choose-offers.ts'),
      import('./tools-search.ts'),
    ]);
    const choice = offerChoice({ tools: needed.tools, skills: needed.skills.usable });
    return { gives: { offers: choice }, tools: [toolsSearchTool(choice.search)] };
  },
});
