/**
 * Owns: what a mode demands of the nodes of a graph, and which mode is tighter than another. Kinds of people add rules of
 * their own (`problems` in core/schema/node-kind.ts). The rules are checked by `oka graph validate` and when a run starts.
 *
 * strict   every tool call has an idempotency key, a time limit and a number of retries; no agents; maps have a limit
 * bounded  every call and every agent has a time limit and a number of retries; maps have a limit
 * flex     nothing
 */
import type { Node } from '../schema/graph.ts';
import type { Mode } from '../schema/run.ts';

type ModeProblem = { path: string; rule: string; problem: string; fix: string };

/** From the loosest to the tightest. */
const MODES: readonly Mode[] = ['flex', 'bounded', 'strict'];

export const isLooser = (mode: Mode, than: Mode): boolean => MODES.indexOf(mode) < MODES.indexOf(than);

/** How many items a map may have that does not say so itself; in flex as many as there are. */
const USUAL_ITEMS = 10_000;

export function mostItems({ max_items: most }: Extract<Node, { kind: 'map' }>, mode: Mode): number {
  return most ?? (mode === 'flex' ? Number.POSITIVE_INFINITY : USUAL_ITEMS);
}

/** What the mode demands and a node lacks. */
export function modeProblems(mode: Mode, node: Node, place: () => string): ModeProblem[] {
  if (mode === 'flex') return [];
  if (node.kind === 'map') return modeProblems(mode, node.each, () => `${place()}.each`);
  if (node.kind !== 'tool' && node.kind !== 'agent') return [];
  const rule = `mode.${mode}`;
  if (mode === 'strict' && node.kind === 'agent')
    return [
      {
        path: `${place()}.kind`,
        rule,
        problem: 'mode strict has no agents: what they do differs from run to run',
        fix: 'Use tool nodes, or the mode bounded.',
      },
    ];
  return NEEDED.filter((field) => isMissing(field, mode, node)).map((field) => ({
    path: `${place()}.${field}`,
    rule,
    problem: `mode ${mode} needs ${field}`,
    fix: FIXES[field],
  }));
}

const NEEDED = ['timeout_seconds', 'max_retries', 'idempotency_key'] as const;
type Needed = (typeof NEEDED)[number];

const FIXES: Readonly<Record<Needed, string>> = {
  timeout_seconds: 'Say how long one attempt may take, such as "timeout_seconds": 60.',
  max_retries: 'Say how often it is tried again, such as "max_retries": 1 ("retry": {"times": 1} is the same).',
  idempotency_key: 'Say what makes two calls the same one, such as "idempotency_key": "{{input.id}}".',
};

/** These tools only read, or are made once by other means: they need no key. */
const KEYLESS = new Set(['state.read', 'state.write', 'runs.prior', 'model.choose']);

function isMissing(field: Needed, mode: Mode, node: Extract<Node, { kind: 'tool' | 'agent' }>): boolean {
  if (field === 'timeout_seconds') return node.timeout_seconds === undefined;
  if (field === 'max_retries') return node.max_retries === undefined && node.retry === undefined;
  const isKeyless = node.kind === 'tool' && KEYLESS.has(node.tool);
  return mode === 'strict' && !isKeyless && node.idempotency_key === undefined;
}
