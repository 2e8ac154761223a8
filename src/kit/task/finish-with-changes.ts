/**
 * Owns: an answer that a worker gives in one turn with its last changes, so that the model need not be asked once more.
 *
 * 1. It counts only together with calls whose success is all there is to know; any other result has to be seen first.
 * 2. It counts only if every call of that turn succeeded and nobody has objected since; otherwise the worker is asked.
 */
import type { Decision } from '../../core/schema/decision.ts';
import type { PlannerInput } from '../../core/schema/ports.ts';

type Call = Extract<Decision, { kind: 'CallTool' }>;
type Finish = Extract<Decision, { kind: 'Finish' }>;

/** Tools that say by succeeding what the worker wants to know; what a command printed besides is evidence for the critic. */
const RESULT_IS_SUCCESS = /^(?:files\.(?:write|edit|move|remove)|memory\.note|shell)$/;

/** The answer that comes with these calls, as a field of their decision; nothing where it cannot count. */
export function finishWithCalls(
  calls: readonly { tool: string }[],
  finish: Finish | undefined,
): Pick<Call, 'finish'> | null {
  if (finish === undefined || !calls.every(({ tool }) => RESULT_IS_SUCCESS.test(tool))) return null;
  const { output, figures, rationale } = finish;
  return { finish: { output, ...(figures === undefined ? {} : { figures }), rationale } };
}

/** The answer of the last turn if its calls have succeeded; null when the worker has to be asked. */
export function finishOfLastTurn({ evidence, problem }: Pick<PlannerInput, 'evidence' | 'problem'>): Finish | null {
  const last = evidence.at(-1)?.turn;
  const entries = evidence.filter(({ turn }) => turn === last);
  const [first] = entries;
  if (problem !== null || first?.decision.kind !== 'CallTool' || first.decision.finish === undefined) return null;
  const haveSucceeded = entries.every(({ decision, outcome }) => decision.kind === 'CallTool' && outcome === 'ok');
  return haveSucceeded ? { kind: 'Finish', ...first.decision.finish } : null;
}
