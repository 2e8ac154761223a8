/** The fleet: its queue and members, and orders to them. What talks to its servers is loaded in `run`. */
import { OkaError } from '../../../core/schema/errors.ts';
import { answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { flag } from '../../../kit/cli/options.ts';

export const commands: Commands = {
  'fleet status': command({
    summary: 'Show the queue of the fleet and the tasks of this home in it',
    example: 'oka fleet status',
    run: async ({ home }) => answer(await (await import('../fleet-reports.ts')).fleetStatus(home)),
  }),
  'fleet members': command({
    summary: 'List the members of the fleet and what each of them does',
    example: 'oka fleet members',
    run: async ({ home }) => answer(await (await import('../fleet-reports.ts')).fleetMembers(home)),
  }),
  'fleet verify': command({
    summary: 'Compare the runs of this home in the stream with its ledger',
    example: 'oka fleet verify',
    run: async ({ home }) => answer(await (await import('../fleet-reports.ts')).verifyFleet(home)),
  }),
  'fleet why': command({
    summary: 'Say where a task of the fleet is, and why nobody has taken it',
    operands: '<task>',
    example: 'oka fleet why report-1a2b3c4d',
    run: async (call) =>
      answer(await (await import('../explain-task.ts')).explainTask(call.home, onlyOperand(call, 'task'))),
  }),
  'fleet stop': command({
    summary: 'Stop everything at every member, also at those that join later',
    example: 'oka fleet stop',
    run: async ({ home }) => answer(await (await import('../order-commands.ts')).orderAll(home, true)),
  }),
  'fleet resume': command({
    summary: 'Go on after a stop; with a name, a drained member takes tasks again',
    operands: '[member]',
    example: 'oka fleet resume',
    run: async (call) => {
      const { orderAll, orderMember } = await import('../order-commands.ts');
      const { home, signal, notify, operands } = call;
      const all = operands.length === 0;
      return answer(
        all
          ? await orderAll(home, false)
          : await orderMember(home, onlyOperand(call, 'member'), false, { isWaiting: false, signal, notify }),
      );
    },
  }),
  'fleet drain': command({
    summary: 'A member takes nothing new, and finishes or hands over what it has',
    operands: '<member>',
    options: { wait: flag('Wait until it has nothing left.') },
    example: 'oka fleet drain laptop --wait',
    run: async (call) => {
      const { home, signal, notify, options } = call;
      const waiting = { isWaiting: options.wait, signal, notify };
      return answer(
        await (await import('../order-commands.ts')).orderMember(home, onlyOperand(call, 'member'), true, waiting),
      );
    },
  }),
  'fleet permissions': command({
    summary: 'Print what the servers have to allow a member, for their configuration',
    operands: '<member>',
    options: {
      operator: flag('It may also stop and drain the others.'),
      administrator: flag('It sets the fleet up: it may create streams.'),
    },
    example: 'oka fleet permissions laptop',
    run: async (call) => {
      const { permissionsBlock } = await import('../servers/member-permissions.ts');
      const { operator, administrator } = call.options;
      const role = administrator ? 'administrator' : operator ? 'operator' : 'member';
      return answer(permissionsBlock(onlyOperand(call, 'member'), role));
    },
  }),
};

function onlyOperand({ operands }: Pick<Call, 'operands'>, what: string): string {
  const [only] = operands;
  if (only === undefined || operands.length > 1)
    throw new OkaError('usage', `name one ${what}`, { fix: 'See what there is: oka fleet status, oka fleet members' });
  return only;
}
