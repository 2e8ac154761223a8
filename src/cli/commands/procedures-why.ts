import { readEvents } from '../../ledger/read.ts';
import type { KnownProcedure, Moved } from '../../memory/procedures/known.ts';
import type { ProcedureChoice } from '../../schema/procedure.ts';
import { type Call, exits } from '../command.ts';
import { coloured, numbersText, procedureNamed } from '../procedure-access.ts';
import { bold, dim, fitText, plainText, WIDTH } from '../plain-text.ts';

/** A task that matched it, and what became of the task. */
type Matched = {
  run: string;
  seq: number;
  at: string;
  arm: ProcedureChoice['arm'];
  reason: string;
  ended: string | null;
};

export async function run(call: Call): Promise<number> {
  const known = await procedureNamed(call);
  const matched = await matchedBy(call, known.procedure.id);
  const moves = known.moves.map((move, at) => ({ ...move, runs: runsBehind(matched, known.moves[at - 1], move) }));
  const later = matched.filter(({ at }) => at > (known.moves.at(-1)?.at ?? ''));
  if (call.json) {
    const { procedure, status, forced } = known;
    call.out(
      `${JSON.stringify({ procedure: procedure.id, status, forced, made_from: procedure.evidence, moves, later })}\n`,
    );
    return exits.ok;
  }
  tellMaking(call, known);
  for (const move of moves) tellMove(call, move);
  if (later.length > 0) call.out('since then\n');
  later.forEach((each) => tellRun(call, each));
  return exits.ok;
}

async function matchedBy({ home }: Call, procedure: string): Promise<Matched[]> {
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

const runsBehind = (matched: readonly Matched[], before: Moved | undefined, { at: end }: Moved): Matched[] =>
  matched.filter(({ at }) => at > (before?.at ?? '') && at <= end);

function tellMaking({ out }: Call, { procedure, status, forced }: KnownProcedure): void {
  out(`${bold(procedure.id)}  ${coloured(status)}${forced ? ', put there by a person, above the numbers' : ''}\n`);
  out(`made from  ${procedure.evidence.map(({ run: id, seq }) => `${id ?? '-'} (event ${seq})`).join(', ')}\n`);
}

function tellMove(call: Call, move: Moved & { runs: readonly Matched[] }): void {
  const by = move.by === 'person' ? ' by a person' : '';
  call.out(
    `${move.at.slice(0, 16).replace('T', ' ')}  ${move.from ?? 'new'} → ${coloured(move.to)}${by}${move.forced ? ', forced' : ''}\n`,
  );
  call.out(`  ${plainText(move.reason)}\n`);
  for (const line of numbersText(move.numbers)) call.out(`  ${dim(line)}\n`);
  move.runs.forEach((each) => tellRun(call, each));
}

function tellRun({ out }: Call, { run: id, seq, arm, ended }: Matched): void {
  out(`  ${fitText(`${arm.replace('_', ' ').padEnd(9)} ${id} (event ${seq})  ${ended ?? 'under way'}`, WIDTH - 2)}\n`);
}
