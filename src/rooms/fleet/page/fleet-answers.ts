/** What the page Fleet is answered. */
import { z } from 'zod';
import { FleetOverview, MemberName } from '../../../core/schema/fleet.ts';

export type FleetAnswer = z.infer<typeof FleetAnswer>;
export const FleetAnswer = z
  .strictObject({
    fleet: FleetOverview.nullable().describe('The fleet as the worker of this home saw it last; null without one.'),
    is_current: z.boolean().describe('Whether that was a moment ago.'),
    silent: z.array(MemberName).describe('Members that have not reported for a while.'),
  })
  .describe('The fleet, its members and its queue.');
