import { renderProcedurePage } from '../procedure-page.ts';
import type { KnownProcedure } from '../../../kit/learning/known-procedures.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { findProcedure } from '../procedure-access.ts';

export async function run(call: Call): Promise<Answer<KnownProcedure>> {
  return answer(await findProcedure(call));
}

export const jsonLines = ({ procedure, status, forced, moves }: KnownProcedure): object[] => [
  { status, forced, procedure, last: moves.at(-1) ?? null },
];

export const render = (known: KnownProcedure): string =>
  renderProcedurePage(known, [])
    .lines.map(({ text }) => `${plainText(text)}\n`)
    .join('');
