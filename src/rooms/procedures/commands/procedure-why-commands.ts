/** Why a procedure is as it is. */
import type { KnownProcedure, RecordedMove } from '../../../kit/learning/known-procedures.ts';
import { type MatchedRun, matchedRuns } from '../../../kit/learning/matched-runs.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { colourStatus, findProcedure, numberLines } from '../procedure-access.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { procedureStanding, type ProcedureStanding } from '../procedure-standing.ts';
import { fitText, plainText } from '../../../kit/cli/plain-text.ts';

type Move = RecordedMove & { runs: MatchedRun[] };

type Data = { known: KnownProcedure; moves: Move[]; later: MatchedRun[]; standing: ProcedureStanding | null };

export const commands: Commands = {
  'procedures why': command({
    summary: 'Explain the status of a procedure: each move, its numbers and runs',
    operands: '<procedure>',
    example: 'oka procedures why sort-the-rows-of',
    run: proceduresWhy,
    render: ({ known, moves, later, standing }, terminal) => {
      const { procedure, status, forced } = known;
      const probation = known.probation ? ', on probation: the critic judges its uses' : '';
      const mark = forced ? ', set by a person, overriding the numbers' : probation;
      const lines = [
        `${terminal.bold(procedure.id)}  ${colourStatus(status, terminal)}${mark}`,
        ...originLines(procedure),
        ...moves.flatMap((move) => moveLines(move, terminal)),
        ...(later.length > 0 ? ['since then'] : []),
        ...later.map((each) => matchedLine(each, terminal)),
        ...standingLines(standing, terminal),
      ];
      return `${lines.join('\n')}\n`;
    },
    jsonLines: ({ known, moves, later, standing }) => {
      const { procedure, status, forced, probation } = known;
      const now = standing === null ? {} : { numbers: standing.numbers, missing: standing.missing };
      const { id, evidence, from = null } = procedure;
      return [{ procedure: id, status, forced, probation, from, made_from: evidence, moves, later, ...now }];
    },
  }),
};

function originLines({ evidence, from }: KnownProcedure['procedure']): string[] {
  const runs = evidence.map(({ run: id, seq }) => `${id ?? '-'} (event ${seq})`).join(', ');
  const shared = from === undefined ? [] : [`shared by  ${from}, a member of the fleet`];
  if (from !== undefined && runs === '') return [...shared, 'not tried: no run here has had the plan that it gives'];
  return [...shared, `made from  ${runs}`];
}

function standingLines(standing: ProcedureStanding | null, { bold, dim }: Terminal): string[] {
  if (standing === null) return [];
  const { numbers, missing } = standing;
  return [
    bold('now'),
    ...numberLines(numbers).map((line) => `  ${dim(line)}`),
    ...(missing.length === 0 ? [] : [`  missing       ${missing.join('; ')}`]),
  ];
}

const runsBehind = (
  matched: readonly MatchedRun[],
  before: RecordedMove | undefined,
  { at: end }: RecordedMove,
): MatchedRun[] => matched.filter(({ at }) => at > (before?.at ?? '') && at <= end);

function moveLines(move: Move, terminal: Terminal): string[] {
  const by = move.by === 'person' ? ' by a person' : '';
  const when = terminal.toMinute(move.at);
  const probation = move.probation === true ? ', on probation' : ', proven';
  const end = move.forced ? ', forced' : move.from === move.to || move.probation === true ? probation : '';
  return [
    `${when}  ${move.from ?? 'new'} → ${colourStatus(move.to, terminal)}${by}${end}`,
    `  ${plainText(move.reason)}`,
    ...numberLines(move.numbers).map((line) => `  ${terminal.dim(line)}`),
    ...move.runs.map((each) => matchedLine(each, terminal)),
  ];
}

function matchedLine({ run: id, seq, arm, ended }: MatchedRun, { width }: Terminal): string {
  return `  ${fitText(`${arm.replace('_', ' ').padEnd(9)} ${id} (event ${seq})  ${ended ?? 'in progress'}`, width - 2)}`;
}

async function proceduresWhy(call: Call): Promise<Answer<Data>> {
  const known = await findProcedure(call);
  const matched = await readViews(call, (rows) => matchedRuns(rows, known.procedure.id));
  const moves = known.moves.map((move, at) => ({ ...move, runs: runsBehind(matched, known.moves[at - 1], move) }));
  const later = matched.filter(({ at }) => at > (known.moves.at(-1)?.at ?? ''));
  return answer({ known, moves, later, standing: await procedureStanding(call.home, known.procedure.id) });
}
