/**
 * Owns: whether a call may be made a second time without anybody asking for it. Pure.
 *
 * 1. What may have changed the world outside never is; a local write only if its tool says that doing it twice has the
 *    effect of doing it once. Reads may.
 * 2. It goes by what the call was judged to do, where that is known, and not only by the rights that it has: a person's
 *    own command runs with the rights of the desk, whatever it sends.
 */
import type { SideEffectClass } from '../schema/effect.ts';
import type { OpenFolder } from '../schema/folder.ts';
import type { Json } from '../schema/json.ts';
import type { Attempt, Author, Tool } from '../schema/tool.ts';

type Known = Pick<Tool, 'annotations' | 'classOf' | 'idempotent' | 'judgedClassOf'> | undefined;
type Judged = Pick<Attempt, 'class' | 'judged'>;

/** What is known about a call before it is made, as its event has it. */
type CallTerms = Pick<Attempt, 'class' | 'judged' | 'once'>;

export function callTerms(tool: Known, input: Json, author: Author, folders?: readonly OpenFolder[]): CallTerms {
  const effect = orDeny(() => tool?.classOf(input, author, folders));
  const judged =
    tool?.judgedClassOf === undefined ? effect : orDeny(() => tool.judgedClassOf?.(input, author, folders));
  const terms = { class: effect, ...(judged === effect ? {} : { judged }) };
  const isOnce = judged === 'write_local' && !isIdempotent(tool, input);
  return isOnce ? { ...terms, once: true } : terms;
}

/** A tool that cannot say what a call would change is not called. */
function orDeny(judge: () => SideEffectClass | undefined): SideEffectClass {
  try {
    return judge() ?? 'deny';
  } catch {
    return 'deny';
  }
}

/** What a call may change, as it was judged. */
export const effectOf = ({ class: effect, judged }: Judged): SideEffectClass => judged ?? effect;

const isIdempotent = (tool: Known, input: Json): boolean =>
  tool?.idempotent?.(input) ?? tool?.annotations.idempotent === true;

/** Whether a failed attempt may be made again by itself. */
export function mayBeRepeated(call: Judged & Pick<Attempt, 'input'>, tool: Known): boolean {
  const effect = effectOf(call);
  return effect === 'read' || (effect === 'write_local' && isIdempotent(tool, call.input));
}

/** Whether a call of which nobody knows how it ended may: its rights count as well, since nobody saw what it did. */
export function isSafeInDoubt(call: Judged & Pick<Attempt, 'input'>, tool: Known): boolean {
  return mayBeRepeated(call, tool) && mayBeRepeated({ class: call.class, input: call.input }, tool);
}
