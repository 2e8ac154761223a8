/** A task here and now. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../../kit/pause.ts';
import { setUp } from '../../../kit/home/set-up.ts';
import { runTask } from '../run-task.ts';
import { readAddition } from '../../../kit/inbox/add-task.ts';
import { hintsAtFences } from '../../../kit/task/task-kind.ts';
import { peekProjection } from '../../../core/ledger/peek-projection.ts';
import { taskGraph } from '../../../core/ledger/task-graph.ts';
import type { Home } from '../../../core/schema/home.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { openLiveView } from '../../../kit/cli/live-view.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, renderWait, type RunOutcome } from '../../../kit/cli/run-outcome.ts';
import { additionFrom } from '../../../kit/cli/addition.ts';

const PAGE_MS = 5000;

type Data = { outcome: RunOutcome; inside: RunOutcome['waits']; result: string };

export const commands: Commands = {
  run: command({
    summary: 'Do a task here and now; exit 0 only when it is done',
    operands: '<task>',
    example: 'oka run report.md',
    run: async (call: Call): Promise<Answer<Data>> => {
      const { home, signal, notify } = call;
      const addition = await additionFrom(call);
      setUp(home);
      const { text, firstLine, notes } = readAddition(addition);
      for (const note of [...notes, ...hintsAtFences(text.body, text.task, firstLine)]) notify(plainText(note));
      const { ended } = await runTask(call, addition);
      const result = join(home.workspace, 'outbox', ended.id, 'RESULT.md');
      await untilWritten(result, signal);
      const data = { outcome: outcomeOf(ended), inside: await waitsInside(home, ended.id), result };
      return answer(data, signal.aborted ? exits.interrupted : exitCodeOfRun(ended.status));
    },
    render: ({ outcome, inside, result }: Data, terminal: Terminal): string => {
      const waits = inside.map((wait) => `${renderWait(wait, terminal)}\n`).join('');
      return `${renderOutcome(outcome, terminal)}${waits}  ${result}\n`;
    },
    jsonLines: ({ outcome }: Data): object[] => [outcome],
    footer: openLiveView,
  }),
};

/** The worker writes the page a moment after the run has settled. */
async function untilWritten(page: string, signal: AbortSignal): Promise<void> {
  const end = performance.now() + PAGE_MS;
  while (!existsSync(page) && performance.now() < end && !signal.aborted) await pause(20, signal);
}

/** What the runs inside it wait for. */
async function waitsInside(home: Home, run: string): Promise<RunOutcome['waits']> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  return state.goals.filter(({ parent }) => parent === run).flatMap(({ waits }) => waits);
}
