/** A list of a query that grows: read in pages, and later only what is new. What is there is never read again. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../../../../kit/web/browser/api.ts';
import { noticeError } from '../../../../kit/web/browser/components/notices.ts';

type Page = { last: number; left: number };

/** `last` is the latest event of the run: when it changes, what is newer is read. Rows of the same key replace each other. */
export function useGrowingList<T>(
  query: string,
  run: string,
  field: string,
  keyOf: (row: T) => string | number,
  { last, isWanted = true, most = 20_000 }: { last: number; isWanted?: boolean; most?: number },
): { rows: readonly T[]; isComplete: boolean } {
  const [shown, setShown] = useState<{ rows: readonly T[]; isComplete: boolean }>({ rows: [], isComplete: false });
  const state = useRef({ rows: new Map<string | number, T>(), after: 0, isBusy: false, wanted: 0 });
  useEffect(() => {
    const list = state.current;
    list.wanted = last;
    if (!isWanted || list.isBusy) return;
    list.isBusy = true;
    const stop = new AbortController();
    const readPages = async (): Promise<void> => {
      for (let left = 1; left > 0 || list.wanted > list.after; ) {
        const before = list.after;
        const page = await get<Page & Record<string, T[]>>(query, { run, after: list.after, limit: 1000 }, stop.signal);
        for (const row of page[field] ?? []) list.rows.set(keyOf(row), row);
        ({ last: list.after, left } = page);
        const isFull = list.rows.size >= most;
        setShown({ rows: [...list.rows.values()], isComplete: left === 0 });
        if (isFull || (list.after === before && left === 0)) return;
      }
    };
    readPages()
      .catch((error: unknown) => (stop.signal.aborted ? undefined : noticeError(error)))
      .finally(() => (list.isBusy = false));
  }, [run, last, isWanted]);
  return shown;
}
