/** The state of a run once it has settled, for a person and for a script. */
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import type { RunStatus } from '../../core/schema/run.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import { exits } from './command-module.ts';
import { answerHint, describeWait } from '../views/event-sentence.ts';
import type { Terminal } from './io.ts';
import { fitText, indentWrapped } from './plain-text.ts';

/** Characters of an output that a terminal shows; --json has all of it. */
const MOST_OUTPUT = 2000;

export type RunOutcome = Pick<RunState, 'status' | 'reason' | 'output' | 'spent' | 'ledger'> & {
  run: string;
  steps: { done: number; all: number };
  waits: { wait: string; for: WaitFor }[];
  /** Nodes that were not run, since their outputs are pinned. */
  pinned?: string[];
  /** What the error handler did; absent when it did nothing. */
  handled?: RunState['handling']['listed'];
};

export function outcomeOf(ended: RunState): RunOutcome {
  const { id, status, reason, output, nodes, waits, spent, ledger, plan, handling } = ended;
  const done = nodes.filter((node) => node.status === 'done').length;
  const handled = handling.listed.length === 0 ? {} : { handled: handling.listed };
  const open = isOver(status) ? [] : [...waits.values()];
  const pinned = Object.keys(plan.graph.pins ?? {});
  return {
    run: id,
    status,
    reason,
    output,
    steps: { done, all: nodes.length },
    waits: open,
    spent,
    ledger,
    ...(pinned.length === 0 ? {} : { pinned }),
    ...handled,
  };
}

export function renderOutcome(outcome: RunOutcome, terminal: Terminal): string {
  const { run, status, reason, output, steps, waits, ledger, handled = [] } = outcome;
  const { bold } = terminal;
  const lines = [
    `${bold(run)} ${colourStatus(status, terminal)}, ${steps.done} of ${steps.all} steps, events ${ledger.first} to ${ledger.last}`,
    ...(outcome.pinned === undefined ? [] : [`  pinned, and not run: ${outcome.pinned.join(', ')}`]),
    ...(reason !== '' && status !== 'done' ? [indentWrapped(reason, '  ', terminal)] : []),
    ...handled.map((each) =>
      indentWrapped(`${each.node}: ${each.action} after an error (by ${each.by}): ${each.reason}`, '  ', terminal),
    ),
    ...waits.filter(({ for: { kind } }) => kind !== 'child').map((wait) => renderWait(wait, terminal)),
    ...(status === 'done' ? [indentWrapped(fitText(JSON.stringify(output), MOST_OUTPUT), '  ', terminal)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

export function renderWait({ wait, for: awaited }: { wait: string; for: WaitFor }, terminal: Terminal): string {
  const what = indentWrapped(`waits for ${describeWait(awaited)}`, '  ', terminal);
  return `${what}\n    ${answerHint(awaited, wait)}`;
}

/** 0 only when the run is done. */
export function exitCodeOfRun(status: RunStatus): number {
  if (status === 'done') return exits.ok;
  return status === 'failed' || status === 'cancelled' ? exits.no : exits.waiting;
}

function colourStatus(status: RunStatus, { green, red, yellow }: Terminal): string {
  if (status === 'done') return green(status);
  return status === 'failed' ? red(status) : yellow(status);
}
