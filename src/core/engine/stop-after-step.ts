/** Owns: stopping a run at the end of the steps that were in progress when a person asked for it. Pure. */
import type { RunState } from './run-state.ts';

/** Nodes that are at work, are awaited, or are about to be worked on. */
export function nodesInProgress({ nodes, ready }: RunState): number[] {
  return nodes.flatMap(({ status }, index) =>
    status === 'running' || status === 'waiting' || ready.has(index) ? [index] : [],
  );
}

/** Whether a person asked to stop after steps that have ended since. */
export function isStopDue({ stopAfter, nodes, ready }: RunState): boolean {
  return (
    stopAfter?.every((index) => {
      const status = nodes[index]?.status;
      return status !== 'running' && status !== 'waiting' && !(status === 'pending' && ready.has(index));
    }) ?? false
  );
}
