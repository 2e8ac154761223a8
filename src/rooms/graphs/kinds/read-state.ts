/** A node that reads what its graph remembers from earlier runs. */
import { JsonValue } from '../../../core/schema/json.ts';
import type { NodeKind } from '../../../core/schema/node-kind.ts';
import { keyField, namespaceField } from './state-fields.ts';

export const readState: NodeKind = {
  kind: 'read_state',
  about: 'Reads a value that the graph remembers from earlier runs; its output is {key, value}.',
  fields: {
    key: keyField,
    namespace: namespaceField,
    default: JsonValue.optional().describe('The value when there is none; null unless given.'),
  },
  lower: ({ id, key, namespace, default: otherwise }, graph) => [
    {
      kind: 'tool',
      id,
      tool: 'state.read',
      input: {
        namespace: namespace ?? graph.id,
        key: key ?? '',
        ...(otherwise === undefined ? {} : { default: otherwise }),
      },
    },
  ],
};
