import { describe, expect, it } from 'vitest';
import { fieldAt, fillTemplate, templateNames } from '../../../src/core/engine/template.ts';
import type { Json } from '../../../src/core/schema/json.ts';

const values: Record<string, Json> = { input: { x: 1, list: ['a', { b: true }] }, last: 'text', none: null };
const lookup = (name: string): Json | undefined => values[name];

describe('filled', () => {
  it.each<[Json, Json]>([
    ['{{input.x}}', 1],
    ['{{ input.list }}', ['a', { b: true }]],
    ['{{input.list.1.b}}', true],
    ['{{last}}', 'text'],
  ])('a string that is one hole becomes the value itself: %j', (template, value) => {
    expect(fillTemplate(template, lookup)).toEqual(value);
  });

  it('holes inside text become text, and what is no text becomes JSON', () => {
    expect(fillTemplate('{{last}} and {{input.x}} and {{input.list}}', lookup)).toBe('text and 1 and ["a",{"b":true}]');
  });

  it.each<[Json, Json]>([
    ['{{nobody}}', null],
    ['{{input.y.z}}', null],
    ['{{last.length}}', null],
    ['x{{input.toString}}', 'xnull'],
    ['{{input.__proto__}}', null],
  ])('what is missing, and what an object has only by inheritance, becomes null: %j', (template, value) => {
    expect(fillTemplate(template, lookup)).toEqual(value);
  });

  it('output is the whole output of a node, unless it has a field of that name', () => {
    const outputs: Record<string, Json> = { a: 'words', b: { output: 1 }, c: { x: [2] }, input: { y: 3 } };
    const filled = fillTemplate(
      ['{{a.output}}', '{{b.output}}', '{{c.output}}', '{{c.output.x.0}}', '{{input.output}}'],
      (name) => outputs[name],
    );
    expect(filled).toEqual(['words', 1, { x: [2] }, 2, null]);
  });

  it('goes into lists and objects, and leaves everything else as it is', () => {
    const template = { a: ['{{last}}', 2, null], b: { c: '{{input.x}}' }, '{{last}}': true };
    expect(fillTemplate(template, lookup)).toEqual({ a: ['text', 2, null], b: { c: 1 }, '{{last}}': true });
    expect(fillTemplate('{{ not a hole }} {{', lookup)).toBe('{{ not a hole }} {{');
  });

  it('a value that looks like a template is not filled again', () => {
    expect(fillTemplate('{{a}} {{a}}', () => '{{last}}')).toBe('{{last}} {{last}}');
    expect(fillTemplate('{{a}}$', () => '$&')).toBe('$&$');
  });
});

describe('namesIn', () => {
  it('gives the first word of every hole, however deep', () => {
    expect(templateNames({ a: 'x {{input.y}} {{ n-1.z }}', b: ['{{last}}', { c: '{{last.q}}' }, 3, null] })).toEqual([
      'input',
      'n-1',
      'last',
      'last',
    ]);
  });
});

describe('fieldOf', () => {
  it('tells a field that holds null from one that is not there', () => {
    expect(fieldAt({ a: null }, ['a'])).toBeNull();
    expect(fieldAt({ a: null }, ['b'])).toBeUndefined();
    expect(fieldAt(undefined, [])).toBeUndefined();
    expect(fieldAt([5], ['0'])).toBe(5);
  });
});
