import { describe, expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import { offsetOfPath, outlineJson, placeAt } from '../../../src/rooms/graphs/graph-page/browser/json-outline.ts';
import { fieldFor, initialValue } from '../../../src/rooms/graphs/graph-page/browser/schema-fields.ts';
import { type Help, helpAt, type JsonSchema } from '../../../src/rooms/graphs/graph-page/browser/schema-help.ts';
import { graphSchemaQuery } from '../../../src/rooms/graphs/graph-page/graph-query.ts';
import { askQuery } from '../../support/ask-query.ts';

/** The cursor is where the text has a bar. */
function at(text: string): { text: string; offset: number } {
  const offset = text.indexOf('|');
  return { text: text.replace('|', ''), offset };
}

const placeIn = (marked: string): ReturnType<typeof placeAt> => {
  const { text, offset } = at(marked);
  return placeAt(outlineJson(text), offset);
};

describe('the outline of a text that is being written', () => {
  it('says whether the cursor is on the name of a field or on a value, and where', () => {
    expect(placeIn('{ "id": "re|port" }')).toMatchObject({ role: 'value', path: ['id'], range: [8, 16] });
    expect(placeIn('{ "i|d": 1 }')).toMatchObject({ role: 'key', path: [], range: [2, 6] });
    expect(placeIn('{ "id": | }')).toMatchObject({ role: 'value', path: ['id'] });
    expect(placeIn('{ "id": 1, | }')).toMatchObject({ role: 'key', path: [] });
    expect(placeIn('{ "nodes": [ { "id": "a" }, { | } ] }')).toMatchObject({ role: 'key', path: ['nodes', '1'] });
    expect(placeIn('{ "nodes": [ | ] }')).toMatchObject({ role: 'value', path: ['nodes', '0'] });
    expect(placeIn('|')).toMatchObject({ role: 'value', path: [] });
  });

  it('reads a text that is not complete, and one that is nonsense, without an end', () => {
    expect(placeIn('{ "nodes": [ { "kind": "to|')).toMatchObject({ role: 'value', path: ['nodes', '0', 'kind'] });
    for (const text of ['{', '[', '"', '{"a"', '{"a":', '[1,', '}{][', '\\', '{"a\\', '[[[', ': , :', '{"a":"\n"}'])
      for (let offset = 0; offset <= text.length; offset += 1)
        expect(placeAt(outlineJson(text), offset).path.length).toBeLessThan(5);
    expect(outlineJson('['.repeat(5000))).not.toBeNull();
  });

  it('finds the place of a problem, or the nearest one that is written', () => {
    const text = '{ "nodes": [ { "id": "a" }, { "id": "b", "tool": "x" } ] }';
    const outline = outlineJson(text);
    expect(text.slice(offsetOfPath(outline, 'nodes.1.tool'))).toMatch(/^"tool"/);
    expect(text.slice(offsetOfPath(outline, 'nodes.1.input'))).toMatch(/^\{ "id": "b"/);
    expect(offsetOfPath(outline, '(top)')).toBe(0);
  });
});

describe('the help for a field of a graph', async () => {
  const { schema, tools } = await askQuery<{ schema: JsonSchema; tools: string[] }>(graphSchemaQuery, homeAt('/'));
  const help = (marked: string): Help => {
    const { text, offset } = at(marked);
    const outline = outlineJson(text);
    return helpAt(schema, text, outline, placeAt(outline, offset), { tools, nodes: ['first', 'second'] });
  };
  const labels = (marked: string): string[] => help(marked).suggestions.map(({ label }) => label);

  it('describes the field at the cursor', () => {
    expect(help('{ "title": "|" }').about).toBe('What the graph does, for a person.');
    expect(help('{ "nodes": [ { "kind": "tool", "timeout_seconds": 2| } ] }').about).toContain('Time limit');
  });

  it('suggests fields that are not written yet, those of the kind of the node only, the needed ones first', () => {
    expect(labels('{ "id": "a", | }')).toContain('nodes');
    expect(labels('{ "id": "a", | }')).not.toContain('id');
    const ofTool = labels('{ "nodes": [ { "kind": "tool", | } ] }');
    expect(ofTool).toContain('tool');
    expect(ofTool).toContain('timeout_seconds');
    expect(ofTool).not.toContain('value');
    expect(labels('{ "nodes": [ { "kind": "write_state", | } ] }')).toContain('value');
  });

  it('suggests values: kinds of nodes, modes, tools and the names of nodes', () => {
    const kinds = labels('{ "nodes": [ { "kind": "to|" } ] }');
    for (const kind of ['tool', 'ai_template', 'typed_condition']) expect(kinds).toContain(kind);
    expect(labels('{ "mode": "|" }')).toEqual(expect.arrayContaining(['strict', 'bounded', 'flex']));
    expect(labels('{ "nodes": [ { "kind": "tool", "tool": "|" } ] }')).toContain('files.list');
    expect(labels('{ "nodes": [ { "kind": "tool", "needs": ["|"] } ] }')).toEqual(['first', 'second']);
  });

  it('inserts a field with a value to start from, and a value with its quotes', () => {
    const [nodes] = help('{ "id": "a", | }').suggestions.filter(({ label }) => label === 'nodes');
    expect(nodes?.insert).toBe('"nodes": []');
    expect(help('{ "mode": "|" }').suggestions.map(({ insert }) => insert)).toContain('"strict"');
  });
});

describe('the form for an input', () => {
  it('has a field for each kind of value, and JSON for everything else', () => {
    expect(fieldFor({ type: 'string' })).toEqual({ kind: 'text', isLong: false });
    expect(fieldFor({ type: 'string', maxLength: 5000 })).toEqual({ kind: 'text', isLong: true });
    expect(fieldFor({ type: 'integer' })).toEqual({ kind: 'number', isWhole: true });
    expect(fieldFor({ type: 'boolean' })).toEqual({ kind: 'boolean' });
    expect(fieldFor({ enum: ['a', 'b'] })).toEqual({ kind: 'choice', options: ['a', 'b'] });
    expect(fieldFor({ type: 'array', items: { type: 'string' } })).toMatchObject({ kind: 'list' });
    for (const schema of [{}, { type: 'array' }, { type: 'object' }, { type: ['string', 'null'] }])
      expect(fieldFor(schema)).toEqual({ kind: 'json' });
  });

  it('starts with what has to be there, and leaves out what may be left out', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        size: { type: 'object', properties: { width: { type: 'number' } }, required: ['width'] },
        note: { type: 'string' },
      },
      required: ['name', 'tags', 'size'],
    };
    expect(initialValue(schema)).toEqual({ name: '', tags: [], size: { width: 0 } });
  });
});
