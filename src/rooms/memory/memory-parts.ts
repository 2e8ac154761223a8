/** What memory learns, in the order in which each part is shown an event: later parts read the rows of earlier ones. */
import type { Part } from '../../core/schema/learning-part.ts';
import { rewording } from './distil/reword-facts.ts';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import { factsPart } from './distil/facts-part.ts';
import { daysPart } from './pages/days-part.ts';
import { peoplePart } from './pages/people-part.ts';
import { todosPart } from './pages/todos-part.ts';
import { taskRecords } from '../../kit/learning/task-record.ts';

export function partsOfMemory(settings: MaintenanceConfig): readonly Part[] {
  return [rewording, taskRecords, peoplePart, daysPart(settings), todosPart, factsPart(settings)];
}
