/**
 * Owns: whether what a person had corrected, or the critic had sent back, was then done in the very same way. Pure.
 *
 * A model that plans the same calls again, knowing what the person wrote, finds nothing wrong with them; and what the critic
 * accepts the second time was right the first time. So nothing shows that the checks of the procedure are blind; that the
 * run was corrected or sent back still counts against it.
 */
import { isDeepStrictEqual } from 'node:util';
import { Graph } from '../../core/schema/graph.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { type TaskRecord, taskRecordOf } from '../../kit/learning/task-record.ts';

type Repeated = { run: string; plans: [string, string] };

/** The run that a correction has ended for, and the latest plans of both; null when no procedure had planned it. */
export function correctedPlans(rows: Rows, correction: string): Repeated | null {
  const again = taskRecordOf(rows, correction);
  const first = again?.corrects == null ? undefined : taskRecordOf(rows, again.corrects);
  if (first?.plan?.by !== 'procedure' || first.undone || first.corrected !== correction) return null;
  return again?.plan?.by === 'model' ? { run: first.run, plans: [first.plan.sha256, again.plan.sha256] } : null;
}

/** The plan of a procedure that was sent back, and the latest one of the run, which a model made; null when there are none. */
export function rejectedPlans({ rejected, plan }: TaskRecord): [string, string] | null {
  return rejected !== null && plan?.by === 'model' ? [rejected, plan.sha256] : null;
}

/** Whether two plans make the same calls, whatever their steps are called. */
export function isSameWork(one: string | null, other: string | null): boolean {
  const [mine, theirs] = [callsOf(one), callsOf(other)];
  return mine !== null && isDeepStrictEqual(mine, theirs);
}

function callsOf(text: string | null): unknown {
  const read = text === null ? null : Graph.safeParse(JSON.parse(text));
  if (read?.success !== true) return null;
  const { nodes, edges } = read.data;
  const places = new Map(nodes.map(({ id }, place) => [id, `step ${place}`]));
  const placeOf = (id: string): string => places.get(id) ?? id;
  return {
    calls: nodes.map(({ id, needs, ...call }) => ({
      call: JSON.stringify({ ...call, title: '' }).replaceAll(/(?<=\{\{\s*)[\w-]+/g, placeOf),
      id: placeOf(id),
      needs: needs.map(placeOf),
    })),
    edges: edges.map(({ from, to, ...edge }) => ({ ...edge, from: placeOf(from), to: placeOf(to) })),
  };
}
