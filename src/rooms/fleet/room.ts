/**
 * What the fleet contributes: what this home knows about it, and requests of faces. Everything else is loaded
 * with OKA_FLEET only.
 */
import { defineRoom } from '../../core/schema/room.ts';
import { memberPort } from './fleet-member.ts';

export const fleet = defineRoom({
  name: 'rooms/fleet',
  events: [
    'fleet.joined',
    'fleet.ordered',
    'run.claimed',
    'run.fenced',
    'run.ended',
    'task.sent',
    'task.asked',
    'task.returned',
    'desk.kept',
  ],
  findings: async () => (await import('./fleet-findings.ts')).fleetFindings(),
  projections: async () => [(await import('../../kit/fleet/fleet-runs.ts')).fleetRuns],
  needs: { member: memberPort },
  open: ({ member }) => ({
    intakes: { fleet: async (intake) => (await import('./order-commands.ts')).followRequest(member, intake) },
  }),
});
