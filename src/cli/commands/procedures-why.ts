import type { KnownProcedure, RecordedMove } from '../../memory/procedures/known-procedures.ts';
import { type MatchedRun, matchedRuns } from '../../memory/procedures/matched-runs.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { colourStatus, findProcedure, numberLines } from '../procedure-access.ts';
import { readViews } from '../read-views.ts';
import { fitText, plainText } from '../plain-text.ts';

type Move = RecordedMove & { runs: MatchedRun[] };
type Data = { known: KnownProcedure; moves: Move[]; later: MatchedRun[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const known = await findProcedure(call);
  const matched = await readViews(call, (rows) => matchedRuns(rows, known.procedure.id));
  const moves = known.moves.map((move, at) => ({ ...move, runs: runsBehind(matched, known.moves[at - 1], move) }));
  const later = matched.filter(({ at }) => at > (known.moves.at(-1)?.at ?? ''));
  return answer({ known, moves, later });
}

export const jsonLines = ({ known: { procedure, status, forced }, moves, later }: Data): object[] => [
  { procedure: procedure.id, status, forced, made_from: procedure.evidence, moves, later },
];

export function render({ known, moves, later }: Data, terminal: Terminal): string {
  const { procedure, status, forced } = known;
  const mark = forced ? ', set by a person, overriding the numbers' : '';
  const evidence = procedure.evidence.map(({ run: id, seq }) => `${id ?? '-'} (event ${seq})`).join(', ');
  const lines = [
    `${terminal.bold(procedure.id)}  ${colourStatus(status, terminal)}${mark}`,
    `made from  ${evidence}`,
    ...moves.flatMap((move) => moveLines(move, terminal)),
    ...(later.length > 0 ? ['since then'] : []),
    ...later.map((each) => matchedLine(each, terminal)),
  ];
  return `${lines.join('\n')}\n`;
}

const runsBehind = (
  matched: readonly MatchedRun[],
  before: RecordedMove | undefined,
  { at: end }: RecordedMove,
): MatchedRun[] => matched.filter(({ at }) => at > (before?.at ?? '') && at <= end);

function moveLines(move: Move, terminal: Terminal): string[] {
  const by = move.by === 'person' ? ' by a person' : '';
  const when = terminal.toMinute(move.at);
  return [
    `${when}  ${move.from ?? 'new'} → ${colourStatus(move.to, terminal)}${by}${move.forced ? ', forced' : ''}`,
    `  ${plainText(move.reason)}`,
    ...numberLines(move.numbers).map((line) => `  ${terminal.dim(line)}`),
    ...move.runs.map((each) => matchedLine(each, terminal)),
  ];
}

function matchedLine({ run: id, seq, arm, ended }: MatchedRun, { width }: Terminal): string {
  return `  ${fitText(`${arm.replace('_', ' ').padEnd(9)} ${id} (event ${seq})  ${ended ?? 'in progress'}`, width - 2)}`;
}
