/** Fields that several kinds of state nodes have. */
import { StateKey, StateNamespace } from '../../../core/schema/state-entry.ts';

export const keyField = StateKey.describe(
  'The name of the value; may be a template, such as "price of {{input.item}}".',
);

export const namespaceField = StateNamespace.optional().describe(
  'State that several graphs share; the graph itself unless given.',
);
