/**
 * Owns: who may write to the desk now.
 *
 * D1 One at a time, in the order of asking.
 * D2 Before anybody writes, every writing call of which nobody saw the end is settled: nothing of it runs any more, and what
 *    it left is recorded. Until that has succeeded nobody writes.
 */
import type { InTurn } from '../../kit/ports/desk-turn-port.ts';

/** Whoever is stopped before it is their turn gets `stop.value` at once. */
export function deskTurns(settle: () => Promise<void>): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>, stop?: { signal: AbortSignal; value: T }): Promise<T> => {
    const isStopped = (): boolean => stop?.signal.aborted === true;
    const waiting = Promise.withResolvers<T>();
    const giveWay = (): void => waiting.resolve(stop?.value as T);
    const turn = async (): Promise<void> => {
      if (isStopped()) return;
      await settle();
      if (isStopped()) return;
      stop?.signal.removeEventListener('abort', giveWay);
      waiting.resolve(await work());
    };
    if (isStopped()) giveWay();
    stop?.signal.addEventListener('abort', giveWay, { once: true });
    last = last.then(turn).catch(waiting.reject);
    return waiting.promise;
  };
}
