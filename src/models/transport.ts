/** How requests to models go out: never on to another place, where a key would go with them, and never without an end. */
import { ModelError, problem } from './errors.ts';
import type { Fetch } from './sdk.ts';

const LARGEST_ANSWER = 64 * 1024 * 1024;

export function carefulFetch(inner: Fetch = globalThis.fetch, largest = LARGEST_ANSWER): Fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: 'manual' });
    if (response.ok && response.headers.get('content-type')?.startsWith('text/html') === true) {
      await response.body?.cancel();
      throw new ModelError(problem('bad-answer', 'a web page came back instead of an answer'));
    }
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded(largest)), { status, statusText, headers });
  };
}

function bounded(largest: number): TransformStream<Uint8Array, Uint8Array> {
  let seen = 0;
  return new TransformStream({
    transform(chunk, controller) {
      seen += chunk.length;
      if (seen > largest)
        controller.error(new ModelError(problem('bad-answer', 'the answer is larger than any answer should be')));
      else controller.enqueue(chunk);
    },
  });
}

/** Ends a call that has been silent for too long, and one that its caller gave up. */
export function listening(caller: AbortSignal, ms: number): { signal: AbortSignal; heard(): void; end(): void } {
  const silence = new AbortController();
  const giveUp = (): void => {
    silence.abort(new DOMException(`no sign of the model for ${ms / 1000} s`, 'TimeoutError'));
  };
  let timer = setTimeout(giveUp, ms);
  return {
    signal: AbortSignal.any([caller, silence.signal]),
    heard: () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, ms);
    },
    end: () => clearTimeout(timer),
  };
}
