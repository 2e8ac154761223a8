/** What maintenance learns about, in the order in which each event is shown: later parts look at what earlier ones keep. */
import type { Part } from '../../memory/learning.ts';
import { factsPart } from '../../memory/distil/facts-part.ts';
import { days } from '../../memory/pages/days.ts';
import { people } from '../../memory/pages/people.ts';
import { todos } from '../../memory/pages/todos.ts';
import { procedures } from '../../memory/procedures/procedures-part.ts';
import { judgeProcedures } from '../../memory/procedures/judge-procedures.ts';
import { taskRecords } from '../../memory/task-record.ts';
import type { MaintenanceConfig } from '../../schema/maintenance.ts';

export function partsOf(settings: MaintenanceConfig): readonly Part[] {
  return [
    taskRecords,
    people,
    days(settings),
    todos,
    factsPart(settings),
    procedures,
    judgeProcedures(settings.procedures),
  ];
}

/** Settings on which the stored rows depend: when they change, the rows are folded again. */
export function settledBy({ compact_days, unused_days, procedures: gate }: MaintenanceConfig): string {
  return JSON.stringify({ compact_days, unused_days, gate });
}
