import { expect, it } from 'vitest';
import { leanSchemaOf } from '../../../../src/core/schema/role.ts';
import { listTool } from '../../../../src/core/schema/tool-listing.ts';
import { createMcpTool } from '../../../../src/rooms/mcp/client/mcp-tool.ts';

it('the schema of a tool is the same for everybody who asks: for the list of tools as well as for prompts', () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  const tool = createMcpTool(
    'everything',
    { name: 'get-sum', description: 'Adds.', inputSchema },
    { classOf: () => 'external_mutation', call: () => Promise.reject(new Error('no call is made here')) },
  );
  expect(listTool(tool).input).toMatchObject(inputSchema);
  expect(leanSchemaOf(tool.input)).toEqual(inputSchema);
});
