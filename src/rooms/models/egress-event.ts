/** What is recorded of a decision of the proxy. */
import type { NewEvent } from '../../core/schema/event.ts';
import type { ProxyDecision } from '../../kit/egress/decision-log.ts';

export function egressEvent({ run, call, host, port, verdict, reason }: ProxyDecision): NewEvent {
  return { type: 'egress.decided', run, data: { ...(call === null ? {} : { call }), host, port, verdict, reason } };
}
