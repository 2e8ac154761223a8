/** Requests about tools (kit/cli/carry-out.ts). */
import { carryOutRun } from '../../kit/cli/await-run.ts';
import type { Intake } from '../../core/schema/intake.ts';
import { type Answer, type Call, exits } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { plainText } from '../../kit/cli/plain-text.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from '../../kit/cli/run-outcome.ts';

type ToolIntake = Extract<Intake, { kind: 'install' | 'remove' }>;
export type ToolAnswer =
  | { kind: 'outcome'; outcome: RunOutcome }
  | { kind: 'done'; request: ToolIntake }
  | { kind: 'nothing'; field: 'removed' | 'updated'; text: string };

type ToolCall = Call<object, ToolAnswer>;

/** One after the other: each is a run, or done at once. */
export async function requestTools(call: ToolCall, requests: readonly ToolIntake[]): Promise<Answer<ToolAnswer>> {
  let code: number = exits.ok;
  for (const request of requests) {
    const settled = await carryOutRun(call, request, null);
    if (settled !== null) code = Math.max(code, exitCodeOfRun(settled.ended.status));
    call.emit(settled === null ? { kind: 'done', request } : { kind: 'outcome', outcome: outcomeOf(settled.ended) });
  }
  return { code };
}

export function toolAnswerJson(data: ToolAnswer): object[] {
  switch (data.kind) {
    case 'outcome':
      return [data.outcome];
    case 'done':
      return [{ [data.request.kind]: data.request.what }];
    case 'nothing':
      return [{ [data.field]: [] }];
  }
}

export function renderToolAnswer(data: ToolAnswer, terminal: Terminal): string {
  switch (data.kind) {
    case 'outcome':
      return renderOutcome(data.outcome, terminal);
    case 'done':
      return `${data.request.kind === 'remove' ? 'removed' : 'installed'} ${plainText(data.request.what)}\n`;
    case 'nothing':
      return `${data.text}\n`;
  }
}
