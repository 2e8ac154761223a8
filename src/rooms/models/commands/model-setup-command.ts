import { penHolder } from '../../../core/ledger/pen.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { setUpModel, type SetupOutcome } from '../setup-model.ts';

type Data = { outcome: SetupOutcome; worker: boolean };

export async function run(call: Call): Promise<Answer<Data>> {
  const { home, openDialog } = call;
  await requireHome(home);
  if (openDialog === null)
    throw new OkaError('refused', 'this command asks questions, and there is no terminal', {
      fix: 'Without one: oka secrets set NAME < FILE, and then: oka model use provider:model',
    });
  const outcome = await setUpModel(call, await openDialog());
  const worker = penHolder(home.ledgers.run) !== null;
  return answer({ outcome, worker }, outcome.state === 'set' ? exits.ok : exits.no);
}

export function render({ outcome, worker }: Data): string {
  if (outcome.state !== 'set') return 'Nothing was changed.\n';
  return worker ? 'The worker uses it from the moment it has nothing to do.\n' : 'oka uses it from its next start.\n';
}
