/** An approval in one line: what would be done, and why a person is asked. The page and `oka show` have all of it. */
import type { Asked, WaitFor } from '../schema/wait.ts';

type Approval = Pick<Extract<WaitFor, { kind: 'approval' }>, 'text' | 'asked'>;

const MOST_CHARACTERS = 1000;
/** What follows it in a reason is for the page, where it can be copied. */
const HOW_TO_ALLOW = '. To allow it, ';

export function summarizeApproval({ text, asked }: Approval): string {
  if (asked === undefined) return text;
  const what = isShownWhole(asked) ? asked.changes.join('; ') : asked.command;
  const command = what.replaceAll(/\s+/g, ' ').trim();
  const shown = command.length > MOST_CHARACTERS ? `${command.slice(0, MOST_CHARACTERS - 1)}…` : command;
  const [why] = asked.why.split(HOW_TO_ALLOW, 1);
  return `${asked.tool === 'shell' ? '' : `${asked.tool} `}${shown} (${why ?? ''})`;
}

/** Whether what others would get is shown with the question, as it is: one line is not enough to decide about it. */
export const isShownWhole = ({ tool, contents = [] }: Asked): boolean =>
  !RUNS_COMMAND.test(tool) && contents.length > 0;

/** Their contents are scripts that they start. */
const RUNS_COMMAND = /^(?:shell|skill\.run)$/;
