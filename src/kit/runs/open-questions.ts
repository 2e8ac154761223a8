/** What a run waits for, as RESULT.md shows it. Pure. */
import { summarizeApproval } from '../../core/guard/approval-summary.ts';
import type { ResultFacts } from './result-content.ts';
import type { Event } from '../../core/schema/event.ts';
import { resolveCommand } from '../views/event-sentence.ts';
import type { WaitFor } from '../../core/schema/wait.ts';

type Question = ResultFacts['questions'][number];

export function openQuestions(events: readonly Event[]): Question[] {
  const open = new Map<string, Question>();
  for (const event of events) {
    if (event.type === 'wait.opened' && isShown(event.data.for))
      open.set(event.data.wait, questionOf(event.data.wait, event.data.for));
    if (event.type === 'wait.closed') open.delete(event.data.wait);
    if (event.type === 'run.ended')
      for (const wait of open.keys()) if (wait.startsWith(`${event.run}.`)) open.delete(wait);
  }
  return [...open.values()];
}

/** A pause is shown when there is a reason for it that a person may want to know. */
const isShown = (awaited: WaitFor): boolean =>
  awaited.kind === 'timer' ? awaited.why !== undefined : awaited.kind !== 'child';

function questionOf(id: string, awaited: WaitFor): Question {
  switch (awaited.kind) {
    case 'approval':
      return { id, text: summarizeApproval(awaited), ask: 'approval' };
    case 'question':
      return { id, text: awaited.text, ask: 'answer' };
    case 'message':
      return { id, text: `It waits for a reply in ${awaited.thread}.`, ask: 'answer' };
    case 'requirement':
      return awaited.need === undefined
        ? { id, text: `It needs ${awaited.name}.`, ask: 'nothing' }
        : { id, text: `It needs ${awaited.name}.`, ask: 'requirement', command: resolveCommand(awaited.name) };
    case 'timer':
      return { id, text: `It waits for ${awaited.why ?? 'a moment.'} Next try at ${awaited.until}.`, ask: 'time' };
    case 'turn':
      return { id, text: 'It waits for earlier runs of the same graph to end.', ask: 'nothing' };
    case 'child':
      return { id, text: `It waits for ${awaited.run}.`, ask: 'nothing' };
  }
}
