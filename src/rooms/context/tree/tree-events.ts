/** The events of the context tree. */
import type { NewEvent } from '../../../core/schema/event.ts';

type Data<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>['data'];

export const treeEvents = {
  scanned: (data: Data<'tree.scanned'>): NewEvent => ({ type: 'tree.scanned', data }),
  restored: (data: Data<'tree.restored'>): NewEvent => ({ type: 'tree.restored', data }),
  compacted: (data: Data<'tree.compacted'>): NewEvent => ({ type: 'tree.compacted', data }),
  framePut: (data: Data<'frame.put'>): NewEvent => ({ type: 'frame.put', data }),
  invalidated: (data: Data<'frame.invalidated'>): NewEvent => ({ type: 'frame.invalidated', data }),
} as const;
