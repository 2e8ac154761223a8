/** What maintenance learns about, in the order in which each event is shown: later parts look at what earlier ones keep. */
import type { Part } from '../../memory/learning.ts';
import { factsPart } from '../../memory/distil/facts-part.ts';
import { daysPart } from '../../memory/pages/days-part.ts';
import { peoplePart } from '../../memory/pages/people-part.ts';
import { todosPart } from '../../memory/pages/todos-part.ts';
import { procedures } from '../../memory/procedures/procedures-part.ts';
import { judgeProcedures } from '../../memory/procedures/judge-procedures.ts';
import { taskRecords } from '../../memory/task-record.ts';
import type { MaintenanceConfig } from '../../schema/maintenance.ts';

export function partsOf(settings: MaintenanceConfig): readonly Part[] {
  return [
    taskRecords,
    peoplePart,
    daysPart(settings),
    todosPart,
    factsPart(settings),
    procedures,
    judgeProcedures(settings.procedures),
  ];
}

/** Settings on which the stored rows depend: when they change, the rows are folded again. */
export function settledBy({ compact_days, unused_days, procedures: gate }: MaintenanceConfig): string {
  return JSON.stringify({ compact_days, unused_days, gate });
}
