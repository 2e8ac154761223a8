/** Orders for the fleet: each is confirmed, and given by the worker of this home. */
import { submit } from '../../../../kit/web/browser/api.ts';
import { askConfirmation, type Question } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';

const FOR_ALL = {
  stop: {
    title: 'Stop the fleet?',
    content: 'Commands are ended, and nothing runs at any member, also at those that join later, until it is resumed.',
    yes: 'Stop everything',
    isDangerous: true,
  },
  resume: { title: 'Resume the fleet?', content: 'Every member goes on from where it was.', yes: 'Resume' },
} as const satisfies Record<string, Question>;

export async function orderAll(order: 'stop' | 'resume'): Promise<void> {
  if (await askConfirmation(FOR_ALL[order])) await give({ order }, order === 'stop' ? 'stops' : 'goes on');
}

export async function orderMember(order: 'drain' | 'work', member: string): Promise<void> {
  const question =
    order === 'drain'
      ? {
          title: `Drain ${member}?`,
          content: 'It takes nothing new, finishes what is running, and hands over what waits for a person.',
          yes: 'Drain',
        }
      : {
          title: `Let ${member} take tasks again?`,
          content: 'It takes tasks from the queue again.',
          yes: 'Take tasks',
        };
  const done = order === 'drain' ? 'takes nothing new' : 'takes tasks again';
  if (await askConfirmation(question)) await give({ order, member }, done);
}

type Order = { order: 'stop' | 'resume' } | { order: 'drain' | 'work'; member: string };

async function give(order: Order, done: string): Promise<void> {
  await attempt(async () => {
    const { worker } = await submit({ kind: 'fleet', ...order });
    const whom = 'member' in order ? order.member : 'The fleet';
    notice(worker ? `${whom} ${done}.` : 'No worker is running; the order is given once one does. Start it: oka up');
  });
}
