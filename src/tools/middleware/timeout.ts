/** Ends an attempt that takes longer than its node allows. */
import type { Middleware } from '../../schema/ports.ts';
import type { Outcome } from '../../schema/tool.ts';

export function timeout(): Middleware {
  return {
    name: 'timeout',
    call: async (call, next) => {
      const limit = Math.min(call.bounds.timeoutMs ?? Number.POSITIVE_INFINITY, call.left.seconds * 1000);
      if (!Number.isFinite(limit)) return next(call);
      const late = new AbortController();
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
      const timer = setTimeout(
        () => {
          resolve({
            status: 'failed',
            error: `it did not end within ${limit / 1000} s and was told to stop`,
            temporary: true,
          });
          late.abort();
        },
        Math.min(limit, 2 ** 31 - 1),
      );
      const stop = (): void => late.abort();
      if (call.signal.aborted) stop();
      call.signal.addEventListener('abort', stop, { once: true });
      try {
        next({ ...call, signal: late.signal }).then(resolve, reject);
        return await promise;
      } finally {
        clearTimeout(timer);
        call.signal.removeEventListener('abort', stop);
      }
    },
  };
}
