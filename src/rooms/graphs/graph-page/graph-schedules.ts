/** Which schedules run which graph. */
import { join } from 'node:path';
import { readSchedules, type ScheduleRow, toScheduleRow } from '../../../kit/schedule/read-schedules.ts';
import { readScheduleFile } from '../../../kit/schedule/schedule-file.ts';
import type { Home } from '../../../core/schema/home.ts';

/** The schedules of graphs, by the name of the graph. */
export async function schedulesByGraph(home: Home, now: number): Promise<Map<string, ScheduleRow[]>> {
  const { byId } = await readSchedules(home, now);
  const graphs = Object.values(byId).filter(({ kind }) => kind === 'graph');
  const named = graphs.flatMap((state) => {
    const graph = graphOfFile(home, state.name);
    return graph === null ? [] : [{ graph, row: toScheduleRow(state, now) }];
  });
  const grouped = Map.groupBy(named, ({ graph }) => graph);
  return new Map([...grouped].map(([graph, all]) => [graph, all.map(({ row }) => row)]));
}

/** Null for a file that is gone or cannot be read; the page of schedules says so. */
function graphOfFile(home: Home, name: string): string | null {
  try {
    const file = readScheduleFile(join(home.workspace, 'schedules', name), name);
    return file.kind === 'graph' ? file.graph.graph.replace(/\.json$/i, '') : null;
  } catch {
    return null;
  }
}
