/** Further data of a view, read when it is asked for and again when the question changes. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, type Params } from './api.ts';
import type { ShownError } from './start.ts';

type QueryData<T> = { state: 'reading' } | { state: 'read'; data: T } | { state: 'failed'; error: ShownError };

/** `turn` asks again when it changes. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the query answers
export function useQuery<T>(query: string, params: Params, turn = 0): QueryData<T> {
  const [found, setFound] = useState<QueryData<T>>({ state: 'reading' });
  useEffect(() => {
    const stop = new AbortController();
    get<T>(query, params, stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setFound({ state: 'read', data });
      },
      (error: unknown) => {
        if (!stop.signal.aborted && error instanceof ApiError) setFound({ state: 'failed', error: shownError(error) });
      },
    );
    return () => stop.abort();
  }, [query, JSON.stringify(params), turn]);
  return found;
}

const shownError = ({ code, message, fix }: ApiError): ShownError => ({
  code,
  message,
  ...(fix === undefined ? {} : { fix }),
});
