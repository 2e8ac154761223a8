/** Whether a call may run: allow, ask a person, or deny. An approval is bound to exactly this call and good for it once. */
import { hash } from 'node:crypto';
import type { Middleware } from '../../schema/ports.ts';
import type { Effect } from '../../schema/policy.ts';
import type { ToolCall } from '../../schema/tool.ts';

export type Judge = (call: ToolCall) => { effect: Effect; why: string };

/** What changes nothing is allowed; everything else is asked about. */
export const cautious: Judge = (call) => {
  if (call.class === 'read') return { effect: 'allow', why: 'it only reads' };
  if (call.class === 'deny') return { effect: 'deny', why: 'it is never allowed' };
  return { effect: 'ask', why: call.class === 'write_local' ? 'it changes files' : 'it may change something outside' };
};

export function authorize(judge: Judge = cautious): Middleware {
  return {
    name: 'authorize',
    call: (call, next) => {
      const { effect, why } = judge(call);
      if (effect === 'deny') return Promise.resolve({ status: 'denied', error: `${call.tool}: ${why}` });
      if (effect === 'allow' && !call.bounds.ask) return next(call);
      const binding = bindingOf(call);
      if (call.approval === binding) return next(call);
      const text = `${call.tool} ${JSON.stringify(call.input).slice(0, 10_000)} (${call.class}: ${why})`;
      return Promise.resolve({ status: 'waiting', for: { kind: 'approval', binding, text } });
    },
  };
}

/** Everything an approval stands for. Another tool, input, step or run has another hash. */
export function bindingOf(call: ToolCall): string {
  return hash('sha256', JSON.stringify([call.run, call.node, call.tool, call.class, call.input, call.key]));
}
