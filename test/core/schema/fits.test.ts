import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventData } from '../../../src/core/schema/event.ts';
import { fitCheck } from '../../../src/core/schema/fits.ts';
import { JsonValue } from '../../../src/core/schema/json.ts';
import { story } from '../../fixture/golden/make.ts';
import { timesOf } from '../../support/thorough.ts';

const events = story.flat();

describe('fitting', () => {
  it('sees at once that a call as the engine writes it down fits', () => {
    const started = { call: 'r.n.0.1', node: 'n', attempt: 1, tool: 't', class: 'read', input: { a: [1, null] } };
    const ended = {
      call: 'r.n.0.1',
      node: 'n',
      status: 'ok',
      output: 'x',
      usage: { output_bytes: 3 },
      settles: 'done',
    };
    expect(fitCheck(eventData['call.started'])(started)).toBe(true);
    expect(fitCheck(eventData['call.ended'])(ended)).toBe(true);
  });

  it('a yes means that the schema takes the value and gives it back unchanged', () => {
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.constant(undefined),
      fc.constant(Number.NaN),
      fc.constant('a'.repeat(9000)),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...events),
        fc.array(fc.tuple(fc.nat(), anything), { maxLength: 2 }),
        (event, changes) => {
          const schema: z.ZodType = eventData[event.type];
          const value = changed(event.data, changes);
          const result = schema.safeParse(value);
          fc.pre(fitCheck(schema)(value));
          expect(result).toEqual({ success: true, data: value });
        },
      ),
      { numRuns: timesOf(3000, 300), seed: Number(process.env['SEED'] ?? 7) },
    );
  });

  it.each<[string, z.ZodType, unknown]>([
    ['a field that is not known', z.strictObject({ a: z.string() }), { a: 'x', b: 1 }],
    ['a missing field', z.strictObject({ a: z.string() }), {}],
    ['a default that is to be filled in', z.strictObject({ a: z.string().default('x') }), {}],
    ['a field of the prototype', z.strictObject({ a: z.string() }), Object.create({ a: 'x' })],
    ['an object that drops what it does not know', z.object({ a: z.string() }), { a: 'x' }],
    ['text that is changed', z.string().trim(), ' x '],
    ['another kind of schema', z.record(z.string(), z.string()), {}],
    ['a check of its own', z.string().refine(() => true), 'x'],
    ['an instance of a class', z.strictObject({}), new Date(0)],
    ['a number that is none', z.number(), Number.NaN],
    ['half a number', z.int(), 0.5],
    ['a bound', z.int().positive(), 0],
    ['a text that is too long', z.string().max(2), 'xxx'],
    ['no JSON', JsonValue, { a: undefined }],
  ])('leaves %s to the schema', (_, schema, value) => expect(fitCheck(schema)(value)).toBe(false));
});

/** The data with some of its fields replaced, or new ones. */
function changed(data: Record<string, unknown>, changes: readonly [number, unknown][]): Record<string, unknown> {
  const names = [...Object.keys(data), 'error', 'extra', '__proto__'];
  const copy: Record<string, unknown> = { ...data };
  for (const [index, value] of changes) copy[names[index % names.length] ?? 'extra'] = value;
  return copy;
}
