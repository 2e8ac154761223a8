/** How a run stands, for a person and for a script. */
import { isOver, type RunState } from '../engine/run-state.ts';
import type { RunStatus } from '../schema/run.ts';
import { type Call, exits } from './command.ts';
import { answerHint, describeWait } from './event-sentence.ts';
import { bold, fitText, green, plainText, red, WIDTH, yellow } from './plain-text.ts';

export function tellOutcome({ json, out }: Call, run: RunState): number {
  const waits = isOver(run.status) ? [] : [...run.waits.values()];
  const done = run.nodes.filter((node) => node.status === 'done').length;
  if (json)
    out(
      `${JSON.stringify({ run: run.id, status: run.status, reason: run.reason, output: run.output, steps: { done, all: run.nodes.length }, waits, spent: run.spent, ledger: run.ledger })}\n`,
    );
  else {
    out(
      `${bold(run.id)} ${coloured(run.status)}, ${done} of ${run.nodes.length} steps, events ${run.ledger.first} to ${run.ledger.last}\n`,
    );
    if (run.reason !== '' && run.status !== 'done') out(`  ${fitText(plainText(run.reason), WIDTH - 2)}\n`);
    for (const wait of waits.filter(({ for: { kind } }) => kind !== 'child'))
      out(
        `  waits for ${fitText(plainText(describeWait(wait.for)), WIDTH - 12)}\n    ${answerHint(wait.for.kind, wait.wait)}\n`,
      );
    if (run.status === 'done') out(`  ${fitText(plainText(JSON.stringify(run.output)), WIDTH - 2)}\n`);
  }
  return exitOf(run.status);
}

/** 0 only when the run is done. */
export function exitOf(status: RunStatus): number {
  if (status === 'done') return exits.ok;
  return status === 'failed' || status === 'cancelled' ? exits.no : exits.waiting;
}

function coloured(status: RunStatus): string {
  if (status === 'done') return green(status);
  return status === 'failed' ? red(status) : yellow(status);
}
