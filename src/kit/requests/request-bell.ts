/**
 * Owns: noticing at once that a request was submitted, so that a person who talks does not wait for the next poll. Where
 * the file system reports no changes, such as on some mounts, polling finds requests, too.
 */
import { type FSWatcher, watch } from 'node:fs';
import { makeFolder } from '../../core/ledger/disk.ts';

type RequestBell = {
  /** Resolves after this time, at the signal, or at once when a request was submitted since the last call. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  close: () => void;
};

export function openRequestBell(folder: string): RequestBell {
  let hasRung = false;
  let wake = (): void => undefined;
  const watcher = watchFolder(folder, () => {
    hasRung = true;
    wake();
  });
  return {
    close: () => watcher?.close(),
    wait: async (ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, hasRung || signal.aborted ? 0 : ms);
      wake = resolve;
      signal.addEventListener('abort', wake);
      await promise;
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      hasRung = false;
    },
  };
}

/** Null where changes are not reported. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | null {
  try {
    makeFolder(folder);
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name?.endsWith('.json') === true) onChange();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return null;
  }
}
