/**
 * Owns: which of several tools that can do a step goes first, by what is known about them before they are called: reading
 * before changing, repeatable before not, here before outside, cheap before dear.
 *
 * 1. The score follows from what is recorded of a tool (tool-listing.ts), so `oka explain` gives the one that counted.
 * 2. It orders what planners are shown; what a call may do is decided by the guard alone.
 */
import { jsonField } from './json-field.ts';
import { type ListedTool, listTool } from './tool-listing.ts';
import { isServerTool, type Tool } from './tool.ts';

export type ToolScore = { score: number; because: readonly string[] };

/** A reason outweighs all that are below it. */
const READS = 16;
const REMOVES = 8;
const REPEATS = 4;
const HERE = 2;
const CHEAP = 1;
const RISKS = { low: 0.5, medium: 0.25, high: 0 } as const;

export const BEST_SCORE: number = READS + REPEATS + HERE + CHEAP + RISKS.low;

export function scoreTool({ name, annotations, input }: ListedTool): ToolScore {
  const { read_only, destructive, idempotent, cacheable, risk } = annotations;
  const isOutside = isServerTool(name) || jsonField(jsonField(input, 'properties'), 'url') !== null;
  const reasons: readonly (readonly [points: number, because: string])[] = [
    read_only ? [READS, 'only reads'] : [0, 'changes something'],
    ...(destructive ? [[-REMOVES, 'may remove something'] as const] : []),
    idempotent ? [REPEATS, 'may be repeated'] : [0, 'acts each time'],
    isOutside ? [0, 'goes outside'] : [HERE, 'stays here'],
    ...(cacheable ? [[CHEAP, 'its result can be reused'] as const] : []),
    [RISKS[risk], `${risk} risk`],
  ];
  return {
    score: reasons.reduce((sum, [points]) => sum + points, 0),
    because: reasons.map(([, because]) => because),
  };
}

/** The best score first; the same tools are always in the same order. */
export function bestFirst(a: Tool, b: Tool): number {
  return scoreTool(listTool(b)).score - scoreTool(listTool(a)).score || (a.name < b.name ? -1 : 1);
}
