import { OkaError } from '../../../core/schema/errors.ts';
import type { Json } from '../../../core/schema/json.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { assertNoMore, graphIdOf } from '../../../kit/cli/graph-name.ts';
import { jsonOperand } from '../../../kit/cli/operands.ts';
import { requestStateChange } from '../state-request.ts';

type Options = { expect: string | undefined };
type Data = { graph: string; key: string; value: Json; written: boolean };

export async function run(call: Call<Options>): Promise<Answer<Data>> {
  assertNoMore(call.operands, 3);
  const [name, key, given] = call.operands;
  const graph = await graphIdOf(name, call);
  if (key === undefined || given === undefined)
    throw new OkaError('usage', 'the key or the value is missing', {
      fix: `Such as: oka graph state set ${graph} price 12.5`,
    });
  const value = jsonOperand(given, 'the value');
  const { expect } = call.options;
  const expected = expect === undefined ? {} : { expect: jsonOperand(expect, '--expect') };
  const written = await requestStateChange(call, { namespace: graph, key, value, ...expected });
  return answer({ graph, key, value, written: written !== null });
}

export const render = ({ graph, key, written }: Data): string =>
  written ? `${graph} remembers "${key}".\n` : `A worker is running; it was asked to change "${key}" of ${graph}.\n`;
