/** What graphs remember from one run to the next: values by namespace and key. */
import { z } from 'zod';
import type { Json } from './json.ts';
import { Id } from './names.ts';

/** A larger value is stored as an artifact, and the value that is recorded names it. */
export const MOST_INLINE_STATE = 256 * 1024;

export const StateNamespace = Id.describe('Whose state it is: the id of a graph, or a name that several graphs share.');

export const StateKey = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must not contain control characters')
  .describe('The name of a value.');

/** Of a call that has ended: its output is `{key, value}`, and this value is remembered from then on. */
export const StateChange = z
  .strictObject({
    namespace: StateNamespace,
    key: StateKey,
    deleted: z.literal(true).optional().describe('The key is removed.'),
  })
  .describe('A value of the state of a graph that the call has changed by its end.');
export type StateChange = z.infer<typeof StateChange>;

/** What a call that ends well changes; refused when the current value is not the expected one. */
export type StateWrite = StateChange & {
  /** The value that must be there; null = none. Left out: any. */
  expect?: Json;
};

/** The current value of a key. A value that takes more than a few kilobytes is in the event that wrote it. */
export type StateEntry = {
  /** The event that wrote it. */
  seq: number;
  at: string;
  run: string | null;
  value?: Json;
  /** Instead of a large value: its hash, as stateDigest makes it. */
  digest?: string;
};

/** What is recorded instead of a value that is too large. */
export type LargeState = { artifact: string; bytes: number };
