/** What the fleet contributes: what this home knows about it, and commands to see it. The rest is loaded with OKA_FLEET only. */
import { defineRoom } from '../../schema/room.ts';

export const fleet = defineRoom({
  name: 'daemon/fleet',
  events: [
    'fleet.joined',
    'fleet.ordered',
    'fleet.refilled',
    'run.claimed',
    'run.fenced',
    'run.ended',
    'task.sent',
    'task.returned',
    'desk.kept',
  ],
  projections: async () => [(await import('./fleet-runs.ts')).fleetRuns],
  commands: {
    'fleet status': {
      summary: 'Show the queue of the fleet and the tasks of this home in it',
      example: 'oka fleet status',
      run: async ({ home }) => (await import('./fleet-commands.ts')).fleetStatus(home),
    },
    'fleet members': {
      summary: 'List the members of the fleet and what each of them does',
      example: 'oka fleet members',
      run: async ({ home }) => (await import('./fleet-commands.ts')).fleetMembers(home),
    },
    'fleet verify': {
      summary: 'Compare the runs of this home in the stream with its ledger',
      example: 'oka fleet verify',
      run: async ({ home }) => (await import('./fleet-commands.ts')).verifyFleet(home),
    },
  },
});
