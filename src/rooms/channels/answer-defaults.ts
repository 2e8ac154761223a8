/** What a question gets that nobody answered after all reminders: an approval is denied, a question has its default. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { submit } from '../../kit/requests/submit-request.ts';
import type { Home } from '../../core/schema/home.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import type { Thing } from './reaching-state.ts';

const NOBODY = 'nobody answered';

/** `answered` are the waits that were answered before. The same request has the same id, also after a restart. */
export function answerDefaults(home: Home, things: readonly Thing[], answered: Set<string>): void {
  for (const { wait } of things) {
    if (wait === null || answered.has(wait.id)) continue;
    answered.add(wait.id);
    const bound = wait.binding === null ? {} : { binding: wait.binding };
    const answer: WaitAnswer =
      wait.kind === 'approval'
        ? { verdict: 'denied', text: 'nobody answered after all reminders', by: NOBODY, ...bound }
        : { verdict: 'answered', text: wait.default ?? '', by: NOBODY };
    const id = `unanswered-${hash('sha256', wait.id).slice(0, 32)}`;
    submit(join(home.oka, 'intake'), { kind: 'answer', wait: wait.id, answer }, id);
  }
}
