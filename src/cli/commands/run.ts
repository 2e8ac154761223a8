import { join } from 'node:path';
import { runTask } from '../../daemon/worker.ts';
import { setUp } from '../../daemon/set-up.ts';
import { addTask } from '../../intake/add.ts';
import { penHolder } from '../../ledger/pen.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { tellOutcome } from '../outcome.ts';
import { plain } from '../terminal.ts';
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
  const { run: ended, result } = await runTask(home, addition, signal, (line) => err(`${plain(line)}\n`));
  const code = tellOutcome(call, ended);
  if (result !== null && !json) out(`  ${result}\n`);
  return signal.aborted ? exits.interrupted : code;
}
