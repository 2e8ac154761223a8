import { eventsOfRun } from '../../daemon/home/replay-runs.ts';
import { explanationOf } from '../../engine/explain.ts';
import { type Call, exits } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { bold, dim, fitted, plain, WIDTH } from '../terminal.ts';

export async function run(call: Call): Promise<number> {
  const explanation = explanationOf(await eventsOfRun(call.home, onlyOperand(call, 'run')));
  if (call.json) {
    call.out(`${JSON.stringify(explanation)}\n`);
    return exits.ok;
  }
  const { title, status, timeline, actions, rationales, artifacts } = explanation;
  call.out(`${bold(plain(title))}  ${dim(explanation.run)}  ${status}\n`);
  section(
    call,
    'Timeline',
    timeline.map(({ at, what, why }) => `${at.slice(11, 19)}  ${what}${why === '' ? '' : `: ${why}`}`),
  );
  section(
    call,
    'Calls',
    actions.map(
      ({ call: id, node, tool, class: effect, status: end, ms, error }) =>
        `${node ?? within(id, explanation.run)}: ${tool} (${effect}) ${end}${ms === null ? '' : ` in ${ms} ms`}${error === null ? '' : `: ${error}`}`,
    ),
  );
  section(
    call,
    'Reasons',
    rationales.map(
      ({ node, turn, decision, why }) => `${node} turn ${turn}: ${decision}${why === '' ? '' : `, ${why}`}`,
    ),
  );
  section(
    call,
    'Artifacts',
    artifacts.map(({ sha256, bytes, name }) => `${sha256.slice(0, 12)}  ${bytes} bytes  ${name ?? ''}`),
  );
  return exits.ok;
}

/** Calls of no node are hooks, or were made within a step, whose name theirs begins with. */
function within(id: string, run: string): string {
  if (/\.(?:(?:before|after)_(?:run|node)|on_error)$/.test(id)) return 'hook';
  return `within ${id.slice(run.length + 1).split('.', 1)[0] ?? ''}`;
}

function section({ out }: Call, name: string, lines: readonly string[]): void {
  if (lines.length > 0)
    out(`\n${bold(name)}\n${lines.map((line) => `  ${fitted(plain(line), WIDTH - 2)}\n`).join('')}`);
}
