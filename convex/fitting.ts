/** Owns: how much of a batch one call takes, so that no limit of a deployment is met in the middle of it. */
import { artifactsIn } from './projections/artifacts.ts';
import { factsNamedIn } from './projections/facts.ts';
import type { ProjectedEvent } from './projections/projected.ts';
import { bytesOf, limits } from './wire.ts';

/** The longest beginning that fits; at least one event. */
export function takeFitting(events: readonly ProjectedEvent[]): ProjectedEvent[] {
  const sum = { bytes: 0, rows: 0, lookups: 0 };
  const end = events.findIndex((event, index) => {
    const facts = factsNamedIn(event).length;
    sum.bytes += bytesOf(event);
    sum.rows += artifactsIn(event).length + facts + ITSELF_AND_ITS_RUN;
    sum.lookups += facts + (event.type === 'change.undone' ? limits.undoLookups : ITS_RUN);
    const isOver = sum.bytes > limits.batchBytes || sum.rows > limits.batchRows || sum.lookups > limits.batchLookups;
    return index > 0 && (index >= limits.batchEvents || isOver);
  });
  return end === -1 ? [...events] : events.slice(0, end);
}

const ITS_RUN = 1;
const ITSELF_AND_ITS_RUN = 2;
