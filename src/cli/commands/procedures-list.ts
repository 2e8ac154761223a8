import { type Call, exits } from '../command.ts';
import { coloured, procedures } from '../procedure-access.ts';
import { bold, count, dim, fitText, plainText, WIDTH } from '../plain-text.ts';

export async function run(call: Call): Promise<number> {
  const all = await procedures(call);
  const shown = all.filter(({ status }) => status !== 'retired' || call.flag('all'));
  if (call.json) {
    const told = shown.map(({ procedure: { id, version, title, evidence }, status, forced, moves }) => {
      return { id, version, title, status, forced, runs: evidence.length, numbers: moves.at(-1)?.numbers ?? null };
    });
    call.out(`${JSON.stringify({ procedures: told })}\n`);
  } else if (shown.length === 0)
    call.out('No procedures yet. They are learned from tasks that are alike and go well.\n');
  else
    for (const { procedure, status, forced, moves } of shown) {
      const last = moves.at(-1);
      const mark = forced ? ', forced' : '';
      call.out(`${bold(procedure.id)}  ${coloured(status)}${mark}\n`);
      call.out(`  ${fitText(plainText(procedure.title), WIDTH - 2)}\n`);
      const numbers =
        last === undefined ? 'not judged yet' : `evidence ${Math.round(last.numbers.e_value * 100) / 100}`;
      call.out(
        `  ${dim(`version ${procedure.version}, from ${count(procedure.evidence.length, 'run')}, ${numbers}`)}\n`,
      );
    }
  return exits.ok;
}
