import { openAccess, type Session } from '../../../kit/web/login/access.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { sessions: Session[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  return answer({ sessions: openAccess(home).list() });
}

export function render({ sessions }: Data, terminal: Terminal): string {
  if (sessions.length === 0) return 'Nobody is logged in.\n';
  return renderColumns(
    sessions,
    [
      { text: ({ id }) => id.slice(0, 8) },
      { text: ({ kind }) => kind },
      { text: ({ rights }) => (rights === 'read' ? 'may look' : 'may do everything') },
      { text: ({ used }) => terminal.toMinute(used), style: terminal.dim },
      { text: ({ name }) => name, grows: true },
    ],
    terminal,
  );
}
