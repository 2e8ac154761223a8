import type { KnownProcedure } from '../../../kit/learning/known-procedures.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { colourStatus, listProcedures } from '../procedure-access.ts';

type Data = { procedures: KnownProcedure[] };

export async function run(call: Call<{ all: boolean }>): Promise<Answer<Data>> {
  const all = await listProcedures(call);
  return answer({ procedures: all.filter(({ status }) => status !== 'retired' || call.options.all) });
}

export const jsonLines = ({ procedures }: Data): object[] => [
  {
    procedures: procedures.map(
      ({ procedure: { id, version, title, evidence, from = null }, status, forced, moves }) => {
        const numbers = moves.at(-1)?.numbers ?? null;
        return { id, version, title, status, forced, from, runs: evidence.length, numbers };
      },
    ),
  },
];

export function render({ procedures }: Data, terminal: Terminal): string {
  if (procedures.length === 0) return 'No procedures yet. They are learned from tasks that are alike and go well.\n';
  return procedures.map((each) => renderProcedure(each, terminal)).join('');
}

function renderProcedure({ procedure, status, forced, moves }: KnownProcedure, terminal: Terminal): string {
  const { bold, dim, width } = terminal;
  const last = moves.at(-1);
  const numbers = last === undefined ? 'not judged yet' : `evidence ${Math.round(last.numbers.e_value * 100) / 100}`;
  const lines = [
    `${bold(procedure.id)}  ${colourStatus(status, terminal)}${forced ? ', forced' : ''}`,
    `  ${fitText(plainText(procedure.title), width - 2)}`,
    `  ${dim(`version ${procedure.version}, ${originOf(procedure)}, ${numbers}`)}`,
  ];
  return `${lines.join('\n')}\n`;
}

const originOf = ({ from, evidence }: KnownProcedure['procedure']): string =>
  `${from === undefined ? '' : `shared by ${from}, `}from ${count(evidence.length, 'run')}`;
