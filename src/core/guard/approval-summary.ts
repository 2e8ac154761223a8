/** An approval in one line: what would be done, and why a person is asked. The page and `oka show` have all of it. */
import type { WaitFor } from '../schema/wait.ts';

type Approval = Pick<Extract<WaitFor, { kind: 'approval' }>, 'text' | 'asked'>;

const MOST_CHARACTERS = 1000;
/** What follows it in a reason is for the page, where it can be copied. */
const HOW_TO_ALLOW = '. To allow it, ';

export function summarizeApproval({ text, asked }: Approval): string {
  if (asked === undefined) return text;
  const command = asked.command.replaceAll(/\s+/g, ' ').trim();
  const shown = command.length > MOST_CHARACTERS ? `${command.slice(0, MOST_CHARACTERS - 1)}…` : command;
  const [why] = asked.why.split(HOW_TO_ALLOW, 1);
  return `${asked.tool === 'shell' ? '' : `${asked.tool} `}${shown} (${why ?? ''})`;
}
