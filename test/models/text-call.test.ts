import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTextCall } from '../../src/models/text-call.ts';

const tools = [{ name: 'files.read' }, { name: 'Finish' }];
const read = { name: 'files.read', input: { path: 'a {b} "c".txt' } };
const input = JSON.stringify(read.input);

describe('callFrom', () => {
  it.each([
    ['alone', `{"name": "files.read", "input": ${input}}`],
    ['as tool and arguments', `{"tool": "files.read", "arguments": ${input}}`],
    ['with parameters', `{"name": "files.read", "parameters": ${input}}`],
    ['with arguments inside a string', `{"name": "files.read", "arguments": ${JSON.stringify(input)}}`],
    ['as OpenAI would write it', `{"type": "function", "function": {"name": "files.read", "arguments": ${input}}}`],
    ['in a list', `[{"name": "files.read", "input": ${input}}]`],
    ['under tool_calls', `{"tool_calls": [{"name": "files.read", "arguments": ${input}}]}`],
    ['in a fence', `Sure!\n\`\`\`json\n{"name": "files.read", "input": ${input}}\n\`\`\`\nDone.`],
    ['between tags', `<tool_call>\n{"name": "files.read", "arguments": ${input}}\n</tool_call>`],
    ['in prose with braces', `The {path} is "odd: {"name": "files.read", "input": ${input}} so there.`],
    ['twice the same', `{"name": "files.read", "input": ${input}} again {"tool": "files.read", "input": ${input}}`],
    ['beside other JSON', `{"thought": "hm"} {"name": "files.read", "input": ${input}}`],
  ])('finds a call written %s', (_, text) => {
    expect(parseTextCall(text, tools)).toEqual(read);
  });

  it('a call without input has an empty one', () => {
    expect(parseTextCall('{"name": "Finish"}', tools)).toEqual({ name: 'Finish', input: {} });
  });

  it.each([
    ['no JSON', 'I will read the file.'],
    ['a tool that does not exist', '{"name": "rm", "input": {}}'],
    ['two different calls', '{"name": "files.read", "input": {"path": "a"}} {"name": "Finish", "input": {}}'],
    ['input that is no object', '{"name": "files.read", "input": [1]}'],
    ['arguments that are broken', '{"name": "files.read", "arguments": "{\\"path\\": "}'],
    ['JSON that is broken', '{"name": "files.read", "input": {"path": "a"}'],
    ['a name that is not text', '{"name": 7, "input": {}}'],
    ['nothing', ''],
  ])('finds none in %s', (_, text) => {
    expect(parseTextCall(text, tools)).toBeNull();
  });

  it('never throws, and never finds a tool that was not offered', () => {
    const noise = fc.array(
      fc.oneof(fc.constantFrom('{', '}', '[', ']', '"', '\\', '{"name":"Finish"}', ','), fc.string()),
    );
    fc.assert(
      fc.property(noise, (parts) => {
        const found = parseTextCall(parts.join(''), tools);
        return found === null || tools.some((tool) => tool.name === found.name);
      }),
    );
  });

  it('gives up on a wall of brackets instead of going through it again and again', () => {
    expect(parseTextCall('{['.repeat(90_000), tools)).toBeNull();
    expect(parseTextCall('{'.repeat(300_000), tools)).toBeNull();
  });
});
