import type { Json } from '../../../core/schema/json.ts';
import { currentValue } from '../../../kit/views/state-view.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { graphAndKey } from '../../../kit/cli/graph-name.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { completeValue } from '../state-value.ts';

type Data = { graph: string; key: string; found: boolean; value: Json };

export async function run(call: Call): Promise<Answer<Data>> {
  const { graph, key } = await graphAndKey(call);
  const row = await readViews(call, (rows) => currentValue(rows, graph, key));
  const value = row === undefined ? null : await completeValue(call.home, row);
  return answer({ graph, key, found: row !== undefined, value }, row === undefined ? exits.no : exits.ok);
}

export const render = ({ graph, key, found, value }: Data): string =>
  found ? `${JSON.stringify(value, null, 2)}\n` : `${graph} has no value for "${key}".\n`;
