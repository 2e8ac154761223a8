import { repeatTask } from '../repeat-task.ts';
import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';

type Data = { again: string; added: string; title: string; worker: boolean };

export async function run(call: Call): Promise<Answer<Data>> {
  const again = await runOperand(call);
  const { home } = call;
  const events = await withReadingProgress(call, (reading) => eventsOfRun(home, again, reading));
  const { name, title } = await repeatTask(home, again, events);
  return answer({ again, added: name, title, worker: penHolder(home.ledgers.run) !== null });
}

export const render = ({ title, worker }: Data): string =>
  `Added again: ${title}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`;
