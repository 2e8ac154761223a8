import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ToolAnnotations } from '../../../src/core/schema/tool.ts';
import { BEST_SCORE, bestFirst, scoreTool } from '../../../src/core/schema/tool-score.ts';
import { listTool } from '../../../src/core/schema/tool-listing.ts';
import { defineTool, ok } from '../../../src/kit/define-tool.ts';

type Given = Partial<ToolAnnotations>;

const tool = (
  name: string,
  annotations: Given,
  fields: Record<string, z.ZodType> = {},
): ReturnType<typeof defineTool> =>
  defineTool({
    name,
    about: 'A tool.',
    input: z.strictObject(fields),
    output: z.strictObject({}),
    annotations,
    targets: [],
    class: annotations.read_only === true ? 'read' : 'write_local',
    act: async () => ok({}),
  });
const scoreOf = (...given: Parameters<typeof tool>): number => scoreTool(listTool(tool(...given))).score;

describe('the score of a tool', () => {
  it('puts reading before changing, repeatable before not, here before outside, cheap before dear', () => {
    const steps: [string, Given, Record<string, z.ZodType>?][] = [
      ['files.read', { read_only: true, idempotent: true, cacheable: true, risk: 'low' }],
      ['memory.find', { read_only: true, idempotent: true, risk: 'low' }],
      ['web.read', { read_only: true, idempotent: true, risk: 'low' }, { url: z.string() }],
      ['draw', { read_only: true, risk: 'high' }],
      ['files.write', { idempotent: true, risk: 'low' }],
      ['mcp.notes.add', { idempotent: true, risk: 'low' }],
      ['append', {}],
      ['files.delete', { idempotent: true, destructive: true, risk: 'high' }],
    ];
    const tools = steps.map((each) => tool(...each));
    expect(
      tools
        .toReversed()
        .toSorted(bestFirst)
        .map(({ name }) => name),
    ).toEqual(steps.map(([name]) => name));
    expect(scoreTool(listTool(tool('files.read', steps[0]?.[1] ?? {}))).score).toBe(BEST_SCORE);
  });

  it('says why', () => {
    expect(scoreTool(listTool(tool('mcp.mail.purge', { destructive: true, risk: 'high' })))).toEqual({
      score: -8,
      because: ['changes something', 'may remove something', 'acts each time', 'goes outside', 'high risk'],
    });
  });

  it('never ranks what changes above what reads, whatever else is known', () => {
    const annotations = fc.record({
      destructive: fc.boolean(),
      idempotent: fc.boolean(),
      cacheable: fc.boolean(),
      risk: fc.constantFrom('low', 'medium', 'high'),
    });
    fc.assert(
      fc.property(annotations, annotations, (one, other) => {
        const reading = { ...one, destructive: false, read_only: true };
        expect(scoreOf('a', reading)).toBeGreaterThan(scoreOf('b', { ...other, read_only: false }));
      }),
    );
  });
});
