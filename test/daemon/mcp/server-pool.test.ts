import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const trace = fileURLToPath(new URL('../../support/print-modules.ts', import.meta.url));

it('the library for MCP servers is not loaded before there is one to connect to', () => {
  const pool = new URL('../../../src/daemon/mcp/server-pool.ts', import.meta.url).href;
  const args = ['--import', trace, '--eval', `import(${JSON.stringify(pool)})`];
  const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const loaded = stderr.split('\n').filter((line) => line.startsWith('loaded '));
  expect([status, loaded.some((line) => line.endsWith('/daemon/mcp/connect-server.ts'))]).toEqual([0, true]);
  expect(loaded.filter((line) => line.includes('/node_modules/@modelcontextprotocol/'))).toEqual([]);
});
