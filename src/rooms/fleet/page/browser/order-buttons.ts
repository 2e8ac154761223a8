/** Orders for the fleet: each is confirmed, and given by the worker of this home. */
import { submit } from '../../../../kit/web/browser/api.ts';
import { askConfirmation, type Question } from '../../../../kit/web/browser/components/modal.ts';
import { attempt, notice } from '../../../../kit/web/browser/components/notices.ts';
import { t } from '../../../../kit/web/browser/words.ts';

const FOR_ALL = {
  stop: {
    title: t('Stop the fleet?'),
    content: t(
      'Commands are ended, and nothing runs at any member, also at those that join later, until it is resumed.',
    ),
    yes: t('Stop everything'),
    isDangerous: true,
  },
  resume: { title: t('Resume the fleet?'), content: t('Every member goes on from where it was.'), yes: t('Resume') },
} as const satisfies Record<string, Question>;

export async function orderAll(order: 'stop' | 'resume'): Promise<void> {
  if (await askConfirmation(FOR_ALL[order]))
    await give({ order }, t(order === 'stop' ? '{} stops.' : '{} goes on.', t('The fleet')));
}

export async function orderMember(order: 'drain' | 'work', member: string): Promise<void> {
  const question =
    order === 'drain'
      ? {
          title: t('Drain {}?', member),
          content: t('It takes nothing new, finishes what is running, and hands over what waits for a person.'),
          yes: t('Drain'),
        }
      : {
          title: t('Let {} take tasks again?', member),
          content: t('It takes tasks from the queue again.'),
          yes: t('Take tasks'),
        };
  const done = t(order === 'drain' ? '{} takes nothing new.' : '{} takes tasks again.', member);
  if (await askConfirmation(question)) await give({ order, member }, done);
}

type Order = { order: 'stop' | 'resume' } | { order: 'drain' | 'work'; member: string };

async function give(order: Order, done: string): Promise<void> {
  await attempt(async () => {
    const { worker } = await submit({ kind: 'fleet', ...order });
    notice(worker ? done : t('No worker is running; the order is given once one does. Start it: oka up'));
  });
}
