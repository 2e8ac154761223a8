/** Owns: sending requests to models: redirects are not followed, since the key would go with them, and answers are bounded. */
import { ModelError, problem } from './model-errors.ts';
import type { Fetch } from '../../core/schema/model-provider.ts';

const LARGEST_ANSWER = 64 * 1024 * 1024;

export function guardedFetch(inner: Fetch = globalThis.fetch, largest = LARGEST_ANSWER): Fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: 'manual' });
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html') === true) {
      await response.body?.cancel();
      throw new ModelError(problem('bad-answer', 'the server returned a web page instead of an answer'));
    }
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(limitBytes(largest)), { status, statusText, headers });
  };
}

function limitBytes(largest: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length;
      if (seen > largest) controller.error(new ModelError(problem('bad-answer', 'the answer is too large')));
      else controller.enqueue(chunk);
    },
  });
}

/** Aborts a call after `ms` of silence, or when its caller aborts. */
export function startSilenceTimer(
  caller: AbortSignal,
  ms: number,
): { signal: AbortSignal; restart(): void; end(): void } {
  const silence = new AbortController();
  const timeOut = (): void => {
    silence.abort(new DOMException(`no response from the model for ${ms / 1000} s`, 'TimeoutError'));
  };
  let timer = setTimeout(timeOut, ms);
  return {
    signal: AbortSignal.any([caller, silence.signal]),
    restart: () => {
      clearTimeout(timer);
      timer = setTimeout(timeOut, ms);
    },
    end: () => clearTimeout(timer),
  };
}
