/** Every further physical attempt is on disk before it acts. The first one was written by the drive. */
import type { Middleware } from '../../schema/ports.ts';

export function record(): Middleware {
  return {
    name: 'record',
    call: (call, next) => (call.previous === null ? next(call) : call.intend(call).then(() => next(call))),
  };
}
