/**
 * What a frame that is derived was made from.
 *
 * B1 The basis of a folder contains the ids of all frames it takes, in the order of node id and frame id; so it changes
 *    exactly when one of them does, or the folder itself.
 * B2 The basis of a frame of a model contains the hashes of the prompt and of the context, and nothing of the answer.
 * B3 A basis says how to make the frame again: policies are stored as text that can be read back.
 */
import { hash } from 'node:crypto';
import type { Basis } from '../../../core/schema/frame.ts';
import { SynthesisPolicy } from '../../../core/schema/synthesis.ts';

/** How the frame of one node is made. `ending` is that of a file's name: it decides how the file is read. */
export type Recipe = { policy: SynthesisPolicy; takes: string; ending?: string };

/** Raised when deterministic policies make other texts than before. */
const RULES_VERSION = 1;

export function fileBasis(node: string, { policy, ending }: Recipe): Basis {
  return { node, inputs: [], policy: storePolicy(policy, ending) };
}

/** `inputs` are ordered by node id, then by frame id, as the store lists them. */
export function folderBasis(node: string, inputs: readonly string[], { policy, takes }: Recipe): Basis {
  return { node, inputs: [...inputs], takes, policy: storePolicy(policy) };
}

/** The basis of a frame that a model writes from this context. */
export function withPrompt(basis: Basis, prompt: string, context: string, revision?: number): Basis {
  const asked = { ...basis, prompt: hash('sha256', prompt), context: hash('sha256', context) };
  return revision === undefined ? asked : { ...asked, revision };
}

/** Null for a frame that was not derived: there is nothing to make it from. */
export function recipeOf({ policy, takes }: Pick<Basis, 'policy' | 'takes'>, type: string): Recipe | null {
  if (policy === undefined) return null;
  const { v: _version, ending, ...rest } = parseObject(policy);
  const read = SynthesisPolicy.safeParse(rest);
  if (!read.success) return null;
  return { policy: read.data, takes: takes ?? type, ...(typeof ending === 'string' ? { ending } : {}) };
}

function storePolicy(policy: SynthesisPolicy, ending?: string): string {
  return JSON.stringify({ ...policy, v: RULES_VERSION, ...(ending === undefined ? {} : { ending }) });
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? { ...value } : {};
  } catch {
    return {}; // a policy of a program that writes its own
  }
}
