/** What is recorded of tidying; nothing when nothing was removed. */
import type { NewEvent } from '../../core/schema/event.ts';
import type { Tidied } from '../../core/schema/room.ts';

export function tidiedEvents(tidied: Tidied): NewEvent[] {
  return tidied.artifacts + tidied.outbox.length + tidied.tools.length === 0
    ? []
    : [{ type: 'storage.tidied', data: tidied }];
}
