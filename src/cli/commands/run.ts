import { join } from 'node:path';
import { runTask } from '../../daemon/worker/run-task.ts';
import { setUp } from '../../daemon/home/set-up.ts';
import { addTask } from '../../intake/add-task.ts';
import { peek } from '../../ledger/peek.ts';
import { penHolder } from '../../ledger/pen.ts';
import { taskGraph } from '../../ledger/task-graph.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { tellOutcome } from '../run-outcome.ts';
import { answerHint, describeWait } from '../event-sentence.ts';
import { fitText, plainText, WIDTH } from '../plain-text.ts';
import { additionOf } from './add.ts';

export async function run(call: Call): Promise<number> {
  const { home, err, out, json, signal } = call;
  const addition = additionOf(onlyOperand(call, 'task'));
  setUp(home);
  if (penHolder(home.ledgers.run) !== null) {
    const { title } = addTask(join(home.workspace, 'inbox'), addition);
    out(
      json
        ? `${JSON.stringify({ added: title })}\n`
        : `A worker is running and does it: ${title}\nFollow it with: oka log --follow\n`,
    );
    return exits.waiting;
  }
  const { run: ended, result } = await runTask(home, addition, signal, (line) => err(`${plainText(line)}\n`));
  const code = tellOutcome(call, ended);
  if (!json) await tellInside(call, ended.id);
  if (result !== null && !json) out(`  ${result}\n`);
  return signal.aborted ? exits.interrupted : code;
}

/** What the runs inside it wait for. */
async function tellInside({ home, out }: Call, run: string): Promise<void> {
  const { state } = await peek(home.ledgers.run, home.oka, taskGraph);
  for (const { wait, for: awaited } of state.goals.filter(({ parent }) => parent === run).flatMap(({ waits }) => waits))
    out(
      `  waits for ${fitText(plainText(describeWait(awaited)), WIDTH - 12)}\n    ${answerHint(awaited.kind, wait)}\n`,
    );
}
