import { describeSetModels, type SetModel } from '../../../kit/models/configured-models.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { models: SetModel[] };

export async function run({ home, rooms }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  return answer({ models: await describeSetModels(home, rooms) });
}

export function render({ models }: Data, terminal: Terminal): string {
  if (models.length === 0) return 'No model is set. Tasks that are runbooks need none; for others: oka model setup\n';
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
}
