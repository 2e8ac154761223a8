/** Servers of the Model Context Protocol, whose tools oka may use. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, text, texts } from '../../../kit/cli/options.ts';

export const mcp: Readonly<Record<string, Command>> = {
  'mcp list': command({
    summary: 'List the MCP servers of .oka/rules/mcp.json and whether their tools can be used',
    json: true,
    example: 'oka mcp list',
    load: () => import('../../../rooms/mcp/commands/mcp-list.ts'),
  }),
  'mcp add': command({
    summary: 'Add an MCP server: behind -- the command that starts it, or --url; shows what will run first',
    operands: '<name> [-- command…]',
    options: {
      url: text('URL', 'The address of a server elsewhere.'),
      header: texts('NAME=VALUE', 'A header for it; secret:NAME stands for a secret.'),
      env: texts('NAME=VALUE', 'A variable of its environment; secret:NAME stands for a secret.'),
      path: texts('FOLDER', 'A folder that it may read.'),
      write: texts('FOLDER', 'A folder that it may also change.'),
      net: texts('HOST', 'A host that it may reach.'),
      yes: flag('Do not ask.'),
    },
    json: true,
    example: 'oka mcp add memory -- npx -y @modelcontextprotocol/server-memory',
    load: () => import('../../../rooms/mcp/commands/mcp-add.ts'),
  }),
  'mcp remove': command({
    summary: 'Remove an MCP server, and that its tools were accepted',
    operands: '<name>',
    json: true,
    example: 'oka mcp remove notes',
    load: () => import('../../../rooms/mcp/commands/mcp-remove.ts'),
  }),
  'mcp login': command({
    summary: 'Log in to an MCP server by OAuth: prints the address to open, and waits; tokens go to the vault',
    operands: '<name>',
    json: true,
    example: 'oka mcp login tickets',
    load: () => import('../../../rooms/mcp/commands/mcp-login.ts'),
  }),
  'mcp logout': command({
    summary: 'Remove the tokens of a login to an MCP server; exit 1 if there is none',
    operands: '<name>',
    json: true,
    example: 'oka mcp logout tickets',
    load: () => import('../../../rooms/mcp/commands/mcp-logout.ts'),
  }),
  'mcp test': command({
    summary: 'Start or reach an MCP server and say what it answers; exit 1 without an answer',
    operands: '<name>',
    json: true,
    example: 'oka mcp test notes',
    load: () => import('../../../rooms/mcp/commands/mcp-test.ts'),
  }),
  'mcp tools': command({
    summary: 'List the tools of an MCP server and what has changed; --accept lets tasks use them as they are now',
    operands: '<name>',
    options: {
      accept: flag('Accept its tools as they are now.'),
      yes: flag('Do not ask.'),
    },
    json: true,
    example: 'oka mcp tools notes --accept',
    load: () => import('../../../rooms/mcp/commands/mcp-tools.ts'),
  }),
};
