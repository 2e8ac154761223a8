/** Language models: which there are, and which are used. */
import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { setUpModel } from '../setup-model.ts';
import { describeSetModels, useModel } from '../../../kit/models/configured-models.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { type ModelTrial, tryModel } from '../try-model.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag, text } from '../../../kit/cli/options.ts';

type UseData = { model: string; set: boolean; trial: ModelTrial | null; worker: boolean };

export const commands: Commands = {
  'model setup': command({
    summary: 'Choose a model in a dialog, with its key and a test; oka up offers it once',
    example: 'oka model setup',
    json: false,
    run: async (call) => {
      const { home, openDialog } = call;
      await requireHome(home);
      if (openDialog === null)
        throw new OkaError('refused', 'this command asks questions, and there is no terminal', {
          fix: 'Without one: oka secrets set NAME < FILE, and then: oka model use provider:model',
        });
      const outcome = await setUpModel(call, await openDialog());
      const worker = penHolder(home.ledgers.run) !== null;
      return answer({ outcome, worker }, outcome.state === 'set' ? exits.ok : exits.no);
    },
    render: ({ outcome, worker }) => {
      if (outcome.state !== 'set') return 'Nothing was changed.\n';
      return worker
        ? 'The worker uses it from the moment it has nothing to do.\n'
        : 'oka uses it from its next start.\n';
    },
  }),
  'model list': command({
    summary: 'List the models that are set, and whether each has its key',
    example: 'oka model list',
    run: async ({ home, rooms }) => {
      await requireHome(home);
      return answer({ models: await describeSetModels(home, rooms) });
    },
    render: ({ models }, terminal) => {
      if (models.length === 0)
        return 'No model is set. Tasks that are runbooks need none; for others: oka model setup\n';
      return renderColumns(
        models,
        [
          { text: ({ role }) => (role === 'default' ? 'everything else' : role) },
          { text: ({ model }) => model, grows: true },
          { text: ({ address }) => address },
          { text: ({ key }) => (key === null ? 'needs no key' : `key: ${key}`) },
        ],
        terminal,
      );
    },
  }),
  'model test': command({
    summary: 'Ask a model one short question, outside of any run; exit 1 without an answer',
    operands: '[provider:model]',
    example: 'oka model test anthropic:claude-sonnet-4-5',
    run: modelTest,
    render: renderTrial,
  }),
  'model use': command({
    summary: 'Use a model for everything that has none of its own, once it has answered',
    operands: '<provider:model>',
    options: {
      url: text('URL', 'The address of its server, where it is another than usual.'),
      untested: flag('Set it without asking it anything.'),
    },
    example: 'oka model use ollama:llama3.2',
    /** A model that does not answer is not set: the tasks that wait for one would only fail. */
    run: async (call: Call<{ url: string | undefined; untested: boolean }>): Promise<Answer<UseData>> => {
      const { home, options, signal, rooms } = call;
      const name = onlyOperand(call, 'model');
      await requireHome(home);
      const trial = options.untested ? null : await tryModel(home, { name, url: options.url, signal, rooms });
      const worker = penHolder(home.ledgers.run) !== null;
      if (trial?.answered === false) return answer({ model: name, set: false, trial, worker }, exits.no);
      await useModel(home, name, options.url, rooms);
      return answer({ model: name, set: true, trial, worker });
    },
    render: ({ model, set, trial, worker }: UseData, terminal: Terminal): string => {
      const tried = trial === null ? '' : renderTrial(trial, terminal);
      if (!set) return `${tried}Nothing was changed. To set it anyway: oka model use ${model} --untested\n`;
      const when = worker ? 'from the moment it has nothing to do' : 'from its next start';
      return `${tried}${model} is set in .oka/rules/config.json; the worker uses it ${when}.\n`;
    },
  }),
};

function renderTrial(trial: ModelTrial, { green, red }: Terminal): string {
  const { model, address, ms } = trial;
  if (!trial.answered)
    return `${red('does not answer')}  ${plainText(trial.problem)}\n${trial.fix === null ? '' : `  ${plainText(trial.fix)}\n`}${costLine(trial)}`;
  const seconds = (ms / 1000).toFixed(1);
  return `${green('answers')}  ${model} at ${address}, after ${seconds} s: ${plainText(trial.text)}\n${costLine(trial)}`;
}

/** The call is not in the ledger, so this line is the only place where oka shows what it cost. */
function costLine({ usage }: ModelTrial): string {
  const tokens = (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
  if (usage === undefined || tokens === 0) return '';
  const price = usage.usd === undefined ? '' : usage.usd === 0 ? ', free' : `, ${usage.usd.toFixed(6)} USD`;
  return `  ${tokens} tokens${price}; a test belongs to no run, so oka metrics does not count it.\n`;
}

async function modelTest(call: Call): Promise<Answer<ModelTrial>> {
  await requireHome(call.home);
  const [name, ...more] = call.operands;
  if (more.length > 0) throw new OkaError('usage', 'one model at a time is tested');
  const trial = await tryModel(call.home, { name, signal: call.signal, rooms: call.rooms });
  return answer(trial, trial.answered ? exits.ok : exits.no);
}
