/** A node that lets its graph remember a value. It is written when the node is done, and exactly once. */
import { z } from 'zod';
import { JsonValue } from '../../../core/schema/json.ts';
import type { NodeKind } from '../../../core/schema/node-kind.ts';
import { keyField, namespaceField } from './state-fields.ts';

export const writeState: NodeKind = {
  kind: 'write_state',
  about: 'Lets the graph remember a value for later runs; its output is {key, value}.',
  fields: {
    key: keyField,
    value: JsonValue.optional().describe('The value; may be a template. Default: the output of the node before.'),
    expect: JsonValue.optional().describe(
      'Write only if this is the value that is there, else the node fails; null = no value. May be a template.',
    ),
    delete: z.boolean().optional().describe('Remove the key instead of writing a value.'),
    namespace: namespaceField,
  },
  lower: ({ id, key, value, expect, delete: deleted, namespace, input }, graph, { isItem }) => [
    {
      kind: 'tool',
      id,
      tool: 'state.write',
      input: {
        namespace: namespace ?? graph.id,
        key: key ?? '',
        ...(deleted === true
          ? { delete: true }
          : { value: value === undefined ? (input ?? (isItem ? '{{item}}' : '{{last}}')) : value }),
        ...(expect === undefined ? {} : { expect }),
      },
    },
  ],
  problems: ({ acceptance }) =>
    acceptance.length === 0
      ? []
      : [
          {
            field: 'acceptance',
            rule: 'state',
            problem: 'a value is written when its node ends, before anything could be checked',
            fix: 'Put the checks on the node before.',
          },
        ],
};
