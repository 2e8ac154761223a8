/**
 * Owns: how a node ends that has failed for good, after all its retries.
 *
 * fail          it has failed, and with it the run
 * fallback      it is done, with the output that its graph provides
 * continue      it is done, and its output says what went wrong
 * branch:<node> it has failed, the edge to that node is taken, and the run goes on
 * handle        the error handler decides (error-handler.ts); what it does not deal with ends as with fallback, or fails
 */
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';

export type NodeEnd = { status: 'done' | 'failed'; reason: string; output: Json };

export function failureOf(config: Node, reason: string): NodeEnd {
  if (hasFallback(config)) return { status: 'done', reason: `fallback after: ${reason}`, output: config.fallback };
  if (config.on_error === 'continue')
    return { status: 'done', reason: `continued after: ${reason}`, output: errorOutput(reason) };
  return { status: 'failed', reason, output: errorBranch(config) === null ? null : errorOutput(reason) };
}

/** What a failure makes of a node. */
export function statusAfterFailure(config: Node | undefined): 'done' | 'failed' {
  if (config?.on_error === 'continue') return 'done';
  return hasFallback(config) ? 'done' : 'failed';
}

function hasFallback(config: Node | undefined): config is Node & { fallback: Json } {
  const isUsed = config?.on_error === 'fallback' || config?.on_error === 'handle';
  return isUsed && config.fallback !== undefined;
}

/** The node that is next when this one has failed; null when its failure is that of the run. */
export function errorBranch(config: Pick<Node, 'on_error'> | undefined): string | null {
  return config?.on_error.startsWith(BRANCH) === true ? config.on_error.slice(BRANCH.length) : null;
}

const BRANCH = 'branch:';
const LONGEST_ERROR = 4000;

const errorOutput = (reason: string): Json => ({ error: reason.slice(0, LONGEST_ERROR) });
