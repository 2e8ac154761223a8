/** Requests about tools: passed on to the worker if one is running, else done here and now, one after the other. */
import { askOrDo, withHost } from '../../kit/cli/host-here.ts';
import type { Intake } from '../../core/schema/intake.ts';
import { startedRun } from '../../core/schema/room.ts';
import { type Answer, answer, type Call, exits } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { plainText } from '../../kit/cli/plain-text.ts';
import { exitCodeOfRun, outcomeOf, renderOutcome, type RunOutcome } from '../../kit/cli/run-outcome.ts';
import { submitToWorker } from '../../kit/cli/submitted.ts';

type ToolIntake = Extract<Intake, { kind: 'install' | 'remove' }>;
export type ToolAnswer =
  | { kind: 'outcome'; outcome: RunOutcome }
  | { kind: 'submitted'; submitted: string[] }
  | { kind: 'done'; request: ToolIntake }
  | { kind: 'nothing'; field: 'removed' | 'updated'; text: string };

type ToolCall = Call<object, ToolAnswer>;

export const requestTools = (call: ToolCall, requests: readonly ToolIntake[]): Promise<Answer<ToolAnswer>> =>
  askOrDo(() => doRequests(call, requests));

async function doRequests(
  { home, signal, emit }: ToolCall,
  requests: readonly ToolIntake[],
): Promise<Answer<ToolAnswer>> {
  const submitted: string[] = [];
  for (const request of requests) submitted.push(...Object.values((await submitToWorker(home, request)) ?? {}));
  if (submitted.length > 0) return answer({ kind: 'submitted', submitted });
  let code: number = exits.ok;
  await withHost(home, signal, async (host) => {
    for (const request of requests) {
      const going = startedRun(await host.handle(request));
      await going?.done;
      const run = going === null ? null : await host.engine.stateOf(going.run.id);
      emit(run === null ? { kind: 'done', request } : { kind: 'outcome', outcome: outcomeOf(run) });
      if (run !== null) code = Math.max(code, exitCodeOfRun(run.status));
    }
  });
  return { code };
}

export function toolAnswerJson(data: ToolAnswer): object[] {
  switch (data.kind) {
    case 'outcome':
      return [data.outcome];
    case 'submitted':
      return [{ submitted: data.submitted }];
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
    case 'submitted':
      return 'A worker is running; the request was passed on to it. See: oka tools list\n';
    case 'done':
      return `${data.request.kind === 'remove' ? 'removed' : 'installed'} ${plainText(data.request.what)}\n`;
    case 'nothing':
      return `${data.text}\n`;
  }
}
