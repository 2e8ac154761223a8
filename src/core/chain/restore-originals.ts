/**
 * Owns: never executing a redacted text. A call whose input contains a mark of redaction gets the text as a person wrote
 * it, or is refused with the reason.
 *
 * O1 Only what the operator wrote is restored. A model gets no secret by writing the mark that replaces it.
 * O2 Originals exist inside the chain only, behind the record: approvals, events and results contain the masked text.
 */
import { findMark, findMarkIn } from '../guard/masked-text.ts';
import type { Json } from '../schema/json.ts';
import type { Outcome, Tool, ToolCall } from '../schema/tool.ts';

type Refused = Extract<Outcome, { status: 'denied' }>;
/** Gives the call with its original texts, or says why it cannot run. */
export type Restore = (call: ToolCall) => Promise<ToolCall | Refused>;

/** The original of a masked text that the operator wrote for this call; null if it is not known. */
export type FindOriginal = (call: Pick<ToolCall, 'run' | 'node'>, masked: string) => Promise<string | null>;

export function createRestore(find: FindOriginal): Restore {
  return async (call) => {
    const mark = findMarkIn(call.input);
    if (mark === null) return call;
    if (call.author !== 'operator') return refuse(mark, FOR_A_MODEL);
    const input = await restoreIn(call.input, (text) => find(call, text));
    return input === undefined ? refuse(mark, FOR_A_PERSON) : { ...call, input };
  };
}

/** Tools that act on something named in their input. The others only talk, think or remember: a mark does no harm there. */
export function actsOnItsInput({ internal, targets }: Pick<Tool, 'internal' | 'targets'>): boolean {
  return internal !== true && targets.length > 0;
}

const FOR_A_MODEL =
  'Leave that part out, or name the secret (secret:NAME) where a tool accepts one; a person can add it: oka secrets set --help';
const FOR_A_PERSON =
  'Its original is no longer stored. Hand in the task again, or put the value into the vault and name it: oka secrets set --help';

function refuse(mark: string, fix: string): Refused {
  return {
    status: 'denied',
    error: `this call contains ${mark}, which stands for a secret that oka has removed; it would not do what was written. ${fix}`,
  };
}

/** Undefined if a text has no original. */
async function restoreIn(value: Json, find: (text: string) => Promise<string | null>): Promise<Json | undefined> {
  if (typeof value === 'string') return findMark(value) === null ? value : ((await find(value)) ?? undefined);
  if (value === null || typeof value !== 'object') return value;
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    const restored = findMark(key) === null ? await restoreIn(item, find) : undefined;
    if (restored === undefined) return undefined;
    entries.push([key, restored]);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
