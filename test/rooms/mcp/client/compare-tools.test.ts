import { describe, expect, it } from 'vitest';
import { compareTools, looksReadOnly } from '../../../../src/rooms/mcp/client/compare-tools.ts';
import type { ToolDefinition } from '../../../../src/core/schema/mcp.ts';

const tool = (name: string, fields: string[], annotations = {}, description = ''): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: 'object', properties: Object.fromEntries(fields.map((each) => [each, {}])) },
  annotations: { readOnlyHint: true, ...annotations },
});

describe('a tool that may be offered as one that only reads', () => {
  it.each([
    tool('search_notes', ['query', 'limit']),
    tool('readFile', ['path']),
    tool('get-issue', ['id']),
    tool('list_updates', []),
    tool('settings', []),
  ])('is $name', (given) => {
    expect(looksReadOnly(given)).toBe(true);
  });

  it.each([
    tool('search_notes', ['query'], { readOnlyHint: false }),
    tool('search_notes', ['query'], { destructiveHint: true }),
    tool('notes_delete', ['id']),
    tool('createIssue', ['title']),
    tool('query', ['sql']),
    tool('read', ['path', 'Content']),
    { name: 'search', inputSchema: { type: 'object' } },
  ])('is not %o', (given) => {
    expect(looksReadOnly(given)).toBe(false);
  });
});

it('tools that a server calls deprecated come last', () => {
  const tools = [
    tool('a', [], {}, 'DEPRECATED: use c.'),
    tool('b', [], { deprecated: true }),
    tool('c', [], {}, 'Lists deprecated packages.'),
    tool('d', []),
  ];
  expect(compareTools(null, tools).map((change) => change.tool.name)).toEqual(['c', 'd', 'a', 'b']);
});
