import { readEvents } from '../../ledger/read-events.ts';
import type { KnownProcedure, RecordedMove } from '../../memory/procedures/known-procedures.ts';
import type { ProcedureChoice } from '../../schema/procedure.ts';
import type { Home } from '../../schema/home.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { colourStatus, findProcedure, numberLines } from '../procedure-access.ts';
import { fitText, plainText } from '../plain-text.ts';

/** A task that matched it, and how the task ended. */
type Matched = {
  run: string;
  seq: number;
  at: string;
  arm: ProcedureChoice['arm'];
  reason: string;
  ended: string | null;
};

type Move = RecordedMove & { runs: Matched[] };
type Data = { known: KnownProcedure; moves: Move[]; later: Matched[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const known = await findProcedure(call);
  const matched = await findMatchedRuns(call.home, known.procedure.id);
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

async function findMatchedRuns(home: Home, procedure: string): Promise<Matched[]> {
  const matched = new Map<string, Matched>();
  for await (const { type, run: id, seq, at, data } of readEvents(home.ledgers.run)) {
    if (id === null) continue;
    if (type === 'procedure.chosen' && data.procedure === procedure)
      matched.set(id, { run: id, seq, at, arm: data.arm, reason: data.reason, ended: null });
    const known = matched.get(id);
    if (known === undefined) continue;
    if (type === 'run.ended') known.ended = data.status;
    if (type === 'run.corrected') known.ended = 'corrected';
    if (type === 'run.undone') known.ended = 'undone';
  }
  return [...matched.values()];
}

const runsBehind = (
  matched: readonly Matched[],
  before: RecordedMove | undefined,
  { at: end }: RecordedMove,
): Matched[] => matched.filter(({ at }) => at > (before?.at ?? '') && at <= end);

function moveLines(move: Move, terminal: Terminal): string[] {
  const by = move.by === 'person' ? ' by a person' : '';
  const when = move.at.slice(0, 16).replace('T', ' ');
  return [
    `${when}  ${move.from ?? 'new'} → ${colourStatus(move.to, terminal)}${by}${move.forced ? ', forced' : ''}`,
    `  ${plainText(move.reason)}`,
    ...numberLines(move.numbers).map((line) => `  ${terminal.dim(line)}`),
    ...move.runs.map((each) => matchedLine(each, terminal)),
  ];
}

function matchedLine({ run: id, seq, arm, ended }: Matched, { width }: Terminal): string {
  return `  ${fitText(`${arm.replace('_', ' ').padEnd(9)} ${id} (event ${seq})  ${ended ?? 'in progress'}`, width - 2)}`;
}
