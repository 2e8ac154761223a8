import { eventsOfRun } from '../../../kit/runs/replay-runs.ts';
import { childrenIn } from '../../../kit/runs/run-family.ts';
import type { Event } from '../../../core/schema/event.ts';
import { explainRun } from '../../../kit/views/explanation.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { runOperand } from '../../../kit/cli/find-run.ts';
import { indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { withReadingProgress } from '../../../kit/cli/reading-progress.ts';

type Explanation = ReturnType<typeof explainRun>;
/** `inside`: the runs that did the steps of a task, one for each plan. */
type Data = Explanation & { inside: Explanation[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const read = (id: string): Promise<readonly Event[]> =>
    withReadingProgress(call, (reading) => eventsOfRun(call.home, id, reading));
  const own = await read(await runOperand(call));
  const inside: Explanation[] = [];
  for (const child of childrenIn(own)) inside.push(explainRun(await read(child)));
  return answer({ ...explainRun(own), inside });
}

export function render({ inside, ...task }: Data, terminal: Terminal): string {
  return [task, ...inside].map((each) => renderExplanation(each, terminal)).join('\n');
}

function renderExplanation(explanation: Explanation, terminal: Terminal): string {
  const { title, status, timeline, actions, rationales, artifacts } = explanation;
  const { bold, dim } = terminal;
  return [
    `${bold(plainText(title))}  ${dim(explanation.run)}  ${status}\n`,
    renderSection(
      'Timeline',
      timeline.map(({ at, what, why }) => `${terminal.toTimeOfDay(at)}  ${what}${why === '' ? '' : `: ${why}`}`),
      terminal,
    ),
    renderSection(
      'Calls',
      actions.map((action) => describeAction(action, explanation.run)),
      terminal,
    ),
    renderSection(
      'Reasons',
      rationales.map(
        ({ node, turn, decision, why }) => `${node} turn ${turn}: ${decision}${why === '' ? '' : `, ${why}`}`,
      ),
      terminal,
    ),
    renderSection(
      'Artifacts',
      artifacts.map(({ sha256, bytes, name }) => `${sha256.slice(0, 12)}  ${bytes} bytes  ${name ?? ''}`),
      terminal,
    ),
  ].join('');
}

function describeAction(action: Explanation['actions'][number], run: string): string {
  const { call, node, tool, class: effect, repeats, status, ms, error } = action;
  const time = ms === null ? '' : ` in ${ms} ms`;
  return `${node ?? placeOfCall(call, run)}: ${tool} (${effect})${repeats === true ? ', repeated,' : ''} ${status}${time}${error === null ? '' : `: ${error}`}`;
}

/** Calls of no node are hooks, or were made within a step, whose name theirs begins with. */
function placeOfCall(call: string, run: string): string {
  if (/\.(?:(?:before|after)_(?:run|node)|on_error)$/.test(call)) return 'hook';
  return `within ${call.slice(run.length + 1).split('.', 1)[0] ?? ''}`;
}

function renderSection(name: string, lines: readonly string[], terminal: Terminal): string {
  if (lines.length === 0) return '';
  return `\n${terminal.bold(name)}\n${lines.map((line) => `${indentWrapped(line, '  ', terminal)}\n`).join('')}`;
}
