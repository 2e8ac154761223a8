/**
 * Owns: who may write to the desk now, and where.
 *
 * D1 Those whose places touch go one at a time, in the order of asking; all others go at the same time. Whoever asks gets
 *    all that it may change at once or waits for it without having anything: nobody can wait for each other. What a run
 *    only reads does not wait for its own writing, nor the other way round: it knows what it does.
 * D2 Before anybody writes, every writing call of which nobody saw the end, and which touches the same place, is settled:
 *    nothing of it runs any more, and what it left is recorded. Until that has succeeded nobody writes there.
 */
import { doTouch, type Reach } from '../../kit/desk/reach.ts';
import type { InTurn, Turn } from '../../kit/ports/desk-turn-port.ts';

type Asked = {
  reach: Reach;
  run: string | null;
  begin: () => Promise<void>;
  /** Whom it was told that it waits for. */
  behind?: Asked;
  onWait: ((behind: string | null) => void) | undefined;
};

const isOwnReading = (one: Asked, other: Asked): boolean =>
  one.run !== null && one.run === other.run && (onlyReads(one.reach) || onlyReads(other.reach));

const onlyReads = ({ place, outside = [] }: Reach): boolean => place?.length === 0 && outside.length === 0;

export function deskTurns(settle: (reach: Reach) => Promise<void>): InTurn {
  const active = new Set<Asked>();
  const queue = new Set<Asked>();
  /**
   * Whom it waits for: the last one that has asked before, which changes least. With the first one, each end would be told
   * to everybody who waits, and events would grow with the square of the queue.
   */
  const before = (asked: Asked): Asked | undefined => {
    const earlier = [...queue];
    return [...active, ...earlier.slice(0, earlier.indexOf(asked))].findLast(
      (each) => doTouch(each.reach, asked.reach) && !isOwnReading(each, asked),
    );
  };
  const beginNext = (): void => {
    for (const asked of queue) {
      const behind = before(asked);
      if (behind !== undefined) {
        if (behind !== asked.behind) asked.onWait?.(behind.run);
        asked.behind = behind;
        continue;
      }
      queue.delete(asked);
      active.add(asked);
      void asked.begin().finally(() => {
        active.delete(asked);
        beginNext();
      });
    }
  };
  return <T>(work: () => Promise<T>, { reach = {}, stop, run, onWait }: Turn<T> = {}): Promise<T> => {
    const waiting = Promise.withResolvers<T>();
    const isStopped = (): boolean => stop?.signal.aborted === true;
    const giveWay = (): void => {
      waiting.resolve(stop?.value as T);
      if (queue.delete(asked)) beginNext();
    };
    const begin = async (): Promise<void> => {
      try {
        await settle(reach);
        if (isStopped()) return;
        stop?.signal.removeEventListener('abort', giveWay);
        waiting.resolve(await work());
      } catch (error) {
        waiting.reject(error);
      }
    };
    const asked: Asked = { reach, run: run ?? null, begin, onWait };
    if (isStopped()) {
      giveWay();
      return waiting.promise;
    }
    stop?.signal.addEventListener('abort', giveWay, { once: true });
    queue.add(asked);
    beginNext();
    return waiting.promise;
  };
}
