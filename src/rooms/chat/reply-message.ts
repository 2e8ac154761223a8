/** Owns: the message that a run of a reply ends with: what the agent wrote, or why there is nothing of it. */
import type { RunState } from '../../core/engine/run-state.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { ReplyCost, ReplyStatus } from '../../core/schema/chat.ts';

export type ReplyEnd = {
  text: string;
  status: ReplyStatus;
  limit?: string;
  model?: string;
  cost: ReplyCost;
};

/** Why runs of replies are stopped; the reason is part of the run. */
export const STOPPED = 'stopped by a person';
export const IDLE = 'it made no progress';

export const STOPPED_END = { text: 'I was stopped before I had answered.', status: 'stopped' } as const;

const LIMIT = /the budget of this run is spent: (\w+)/;
const LONGEST_REASON = 1500;

export function replyEnd({ status, output, reason, failure, spent }: RunState): ReplyEnd {
  const cost = { usd: spent.usd, tokens: spent.tokens, calls: spent.tool_calls };
  if (status === 'done') {
    const given = typeof output === 'string' ? output : jsonField(output, 'text');
    const model = jsonField(output, 'model');
    const text = typeof given === 'string' && given.trim() !== '' ? given : JSON.stringify(output);
    return { text, status: 'done', cost, ...(typeof model === 'string' ? { model } : {}) };
  }
  if (status === 'cancelled') {
    const isIdle = reason.startsWith(IDLE);
    return isIdle
      ? { text: `I could not answer: ${reason}.`, status: 'timed out', limit: 'idle_seconds', cost }
      : { ...STOPPED_END, cost };
  }
  const why = (failure?.reason ?? reason).slice(0, LONGEST_REASON);
  const limit = LIMIT.exec(why)?.[1];
  const ended: ReplyStatus = limit === 'seconds' ? 'timed out' : limit === undefined ? 'failed' : 'stopped';
  return { text: `I could not answer: ${why}`, status: ended, cost, ...(limit === undefined ? {} : { limit }) };
}
