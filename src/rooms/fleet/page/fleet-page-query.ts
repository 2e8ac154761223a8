/** The query of the page Fleet. The worker has the connection and writes what it sees to a file; this only reads it. */
import { z } from 'zod';
import { readOverview } from '../../../kit/fleet/fleet-overview.ts';
import { isSilent } from '../member-watch.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { FleetAnswer } from './fleet-answers.ts';

export const fleetQuery = defineQuery({
  params: z.strictObject({}),
  answer: FleetAnswer,
  read: async ({ home }) => {
    const fleet = readOverview(home);
    if (fleet === null) return { fleet, is_current: false, silent: [] };
    const silent = fleet.members.filter(isSilent).map(({ name }) => name);
    return { fleet, is_current: !isSilent(fleet), silent };
  },
});
