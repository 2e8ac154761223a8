/** The state of a run once it has settled, for a person and for a script. */
import { isOver, type RunState } from '../engine/run-state.ts';
import type { RunStatus } from '../schema/run.ts';
import type { WaitFor } from '../schema/wait.ts';
import { exits } from './command-module.ts';
import { answerHint, describeWait } from './event-sentence.ts';
import type { Terminal } from './io.ts';
import { fitText, plainText } from './plain-text.ts';

export type RunOutcome = Pick<RunState, 'status' | 'reason' | 'output' | 'spent' | 'ledger'> & {
  run: string;
  steps: { done: number; all: number };
  waits: { wait: string; for: WaitFor }[];
};

export function outcomeOf({ id, status, reason, output, nodes, waits, spent, ledger }: RunState): RunOutcome {
  const done = nodes.filter((node) => node.status === 'done').length;
  const open = isOver(status) ? [] : [...waits.values()];
  return { run: id, status, reason, output, steps: { done, all: nodes.length }, waits: open, spent, ledger };
}

export function renderOutcome(outcome: RunOutcome, terminal: Terminal): string {
  const { run, status, reason, output, steps, waits, ledger } = outcome;
  const { bold, width } = terminal;
  const lines = [
    `${bold(run)} ${colourStatus(status, terminal)}, ${steps.done} of ${steps.all} steps, events ${ledger.first} to ${ledger.last}`,
    ...(reason !== '' && status !== 'done' ? [`  ${fitText(plainText(reason), width - 2)}`] : []),
    ...waits.filter(({ for: { kind } }) => kind !== 'child').map((wait) => renderWait(wait, terminal)),
    ...(status === 'done' ? [`  ${fitText(plainText(JSON.stringify(output)), width - 2)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

export function renderWait({ wait, for: awaited }: { wait: string; for: WaitFor }, { width }: Terminal): string {
  const what = fitText(plainText(describeWait(awaited)), width - 12);
  return `  waits for ${what}\n    ${answerHint(awaited.kind, wait)}`;
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
