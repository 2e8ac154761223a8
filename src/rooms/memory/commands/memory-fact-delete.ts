import { findFact } from '../facts-query.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { type Recorded, renderRecorded, requestMemory } from '../memory-access.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { forgot: string[] } & Recorded;

export async function run(call: Call): Promise<Answer<Data>> {
  const { home } = call;
  const id = onlyOperand(call, 'the name of a fact');
  await requireHome(home);
  if ((await readViews(call, (rows) => findFact(rows, id))) === undefined)
    throw new OkaError('usage', `there is no fact "${id}"`, { fix: 'List the facts: oka memory about' });
  return answer({ forgot: [id], ...(await requestMemory(call, { kind: 'forget', facts: [id], why: 'deleted' })) });
}

export const render = (data: Data): string =>
  renderRecorded(data, `Forgot ${data.forgot.join(', ')}; the ledger still says that it was known.`);
