/**
 * What the fleet contributes: what this home knows about it, requests of faces, and commands. Everything else is loaded
 * with OKA_FLEET only.
 */
import { OkaError } from '../../core/schema/errors.ts';
import { defineRoom, type RoomCall } from '../../core/schema/room.ts';
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
    'fact.kept',
    'fact.forgotten',
    'procedure.shared',
  ],
  findings: async () => (await import('./fleet-findings.ts')).fleetFindings(),
  projections: async () => [(await import('../../kit/fleet/fleet-runs.ts')).fleetRuns],
  needs: { member: memberPort },
  open: ({ member }) => ({
    intakes: { fleet: async (intake) => (await import('./order-requests.ts')).followRequest(member, intake) },
  }),
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
    'fleet why': {
      summary: 'Say where a task of the fleet is, and why nobody has taken it',
      operands: '<task>',
      example: 'oka fleet why report-1a2b3c4d',
      run: async (call) => (await import('./explain-task.ts')).explainTask(call.home, onlyOperand(call, 'task')),
    },
    'fleet stop': {
      summary: 'Stop everything at every member, also at those that join later',
      example: 'oka fleet stop',
      run: async ({ home }) => (await import('./order-commands.ts')).orderAll(home, true),
    },
    'fleet resume': {
      summary: 'Go on after a stop; with a name, a drained member takes tasks again',
      operands: '[member]',
      example: 'oka fleet resume',
      run: async (call) => {
        const { orderAll, orderMember } = await import('./order-commands.ts');
        const { home, signal, notify, operands } = call;
        if (operands.length === 0) return orderAll(home, false);
        return orderMember(home, onlyOperand(call, 'member'), false, { isWaiting: false, signal, notify });
      },
    },
    'fleet drain': {
      summary: 'A member takes nothing new, and finishes or hands over what it has',
      operands: '<member>',
      options: { wait: { type: 'boolean', about: 'Wait until it has nothing left.' } },
      example: 'oka fleet drain laptop --wait',
      run: async (call) => {
        const { home, signal, notify, options } = call;
        const waiting = { isWaiting: options['wait'] === true, signal, notify };
        return (await import('./order-commands.ts')).orderMember(home, onlyOperand(call, 'member'), true, waiting);
      },
    },
    'fleet permissions': {
      summary: 'Print what the servers have to allow a member, for their configuration',
      operands: '<member>',
      options: {
        operator: { type: 'boolean', about: 'It may also stop and drain the others.' },
        administrator: { type: 'boolean', about: 'It sets the fleet up: it may create streams.' },
      },
      example: 'oka fleet permissions laptop',
      run: async (call) => {
        const { permissionsBlock } = await import('./servers/member-permissions.ts');
        const { operator, administrator } = call.options;
        const role = administrator === true ? 'administrator' : operator === true ? 'operator' : 'member';
        return permissionsBlock(onlyOperand(call, 'member'), role);
      },
    },
  },
});

function onlyOperand({ operands }: RoomCall, what: string): string {
  const [only] = operands;
  if (only === undefined || operands.length > 1)
    throw new OkaError('usage', `name one ${what}`, { fix: 'See what there is: oka fleet status, oka fleet members' });
  return only;
}
