import { useModel } from '../../../kit/models/configured-models.ts';
import { type ModelTrial, tryModel } from '../try-model.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { render as renderTrial } from './model-test.ts';

type Data = { model: string; set: boolean; trial: ModelTrial | null; worker: boolean };

/** A model that does not answer is not set: the tasks that wait for one would only fail. */
export async function run(call: Call<{ url: string | undefined; untested: boolean }>): Promise<Answer<Data>> {
  const { home, options, signal, rooms } = call;
  const name = onlyOperand(call, 'model');
  await requireHome(home);
  const trial = options.untested ? null : await tryModel(home, { name, url: options.url, signal, rooms });
  const worker = penHolder(home.ledgers.run) !== null;
  if (trial?.answered === false) return answer({ model: name, set: false, trial, worker }, exits.no);
  await useModel(home, name, options.url, rooms);
  return answer({ model: name, set: true, trial, worker });
}

export function render({ model, set, trial, worker }: Data, terminal: Terminal): string {
  const tried = trial === null ? '' : renderTrial(trial, terminal);
  if (!set) return `${tried}Nothing was changed. To set it anyway: oka model use ${model} --untested\n`;
  const when = worker ? 'from the moment it has nothing to do' : 'from its next start';
  return `${tried}${model} is set in .oka/rules/config.json; the worker uses it ${when}.\n`;
}
