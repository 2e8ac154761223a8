/** Fields that several kinds of state nodes have. */
import { StateKey } from '../schema/state-entry.ts';

export const keyField = StateKey.describe(
  'The name of the value; may be a template, such as "price of {{input.item}}".',
);
