/** An approval in one line: what would be done, and why a person is asked. The page and `oka show` have all of it. */
import type { WaitFor } from '../schema/wait.ts';

type Approval = Pick<Extract<WaitFor, { kind: 'approval' }>, 'text' | 'asked'>;

const MOST_CHARACTERS = 1000;

export function summarizeApproval({ text, asked }: Approval): string {
  if (asked === undefined) return text;
  const command = asked.command.replaceAll(/\s+/g, ' ').trim();
  const shown = command.length > MOST_CHARACTERS ? `${command.slice(0, MOST_CHARACTERS - 1)}…` : command;
  return `${asked.tool === 'shell' ? '' : `${asked.tool} `}${shown} (${asked.why})`;
}
