/** Owns: the answer of a planner that knows, once a plan has failed, that no other plan can do the task either. */
import type { ModelAnswer, ModelTool } from '../../../core/schema/ports.ts';
import { ImpossibleAnswer, answerSchemaOf, misfitsOf } from '../../../core/schema/role.ts';
import type { Problem } from '../../../kit/text/model-call.ts';

/** Offered with the second plan and later ones: the first has not seen anything fail. */
export const CANNOT_BE_DONE: ModelTool = {
  name: 'cannot_be_done',
  about: 'Ends the task: no plan can do it.',
  input: answerSchemaOf(ImpossibleAnswer),
};

/** Why no plan can do the task; null when the answer says no such thing. */
export function readImpossible({ call }: ModelAnswer): { impossible: string } | Problem | null {
  if (call?.name !== CANNOT_BE_DONE.name) return null;
  const read = ImpossibleAnswer.safeParse(call.input);
  return read.success ? { impossible: read.data.reason } : { problem: misfitsOf(read.error) };
}
