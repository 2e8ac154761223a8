/** A task here and now. */
import { join } from 'node:path';
import { setUp } from '../../../kit/home/set-up.ts';
import { runTask } from '../run-task.ts';
import { addTask } from '../../../kit/inbox/add-task.ts';
import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { taskGraph } from '../../../core/ledger/task-graph.ts';
import type { Home } from '../../../core/schema/home.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { openLiveView } from '../../../kit/cli/live-view.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, renderWait, type RunOutcome } from '../../../kit/cli/run-outcome.ts';
import { additionFrom } from '../../../kit/cli/addition.ts';

type Data = { added: string } | { outcome: RunOutcome; inside: RunOutcome['waits']; result: string | null };

export const commands: Commands = {
  run: command({
    summary: 'Do a task here and now; exit 0 only when it is done',
    operands: '<task>',
    example: 'oka run report.md',
    run: async (call: Call): Promise<Answer<Data>> => {
      const { home, signal, notify } = call;
      const addition = await additionFrom(call);
      setUp(home);
      if (penHolder(home.ledgers.run) !== null)
        return answer({ added: addTask(join(home.workspace, 'inbox'), addition).title }, exits.waiting);
      const { run: ended, result } = await runTask(home, addition, signal, (line) => notify(plainText(line)));
      const data = { outcome: outcomeOf(ended), inside: await waitsInside(home, ended.id), result };
      return answer(data, signal.aborted ? exits.interrupted : exitCodeOfRun(ended.status));
    },
    render: (data: Data, terminal: Terminal): string => {
      if ('added' in data) return `A worker is running and does it: ${data.added}\nFollow it with: oka log --follow\n`;
      const { outcome, inside, result } = data;
      const waits = inside.map((wait) => `${renderWait(wait, terminal)}\n`).join('');
      return `${renderOutcome(outcome, terminal)}${waits}${result === null ? '' : `  ${result}\n`}`;
    },
    jsonLines: (data: Data): object[] => ['added' in data ? data : data.outcome],
    footer: openLiveView,
  }),
};

/** What the runs inside it wait for. */
async function waitsInside(home: Home, run: string): Promise<RunOutcome['waits']> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  return state.goals.filter(({ parent }) => parent === run).flatMap(({ waits }) => waits);
}
