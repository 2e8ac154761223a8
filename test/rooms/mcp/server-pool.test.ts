import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { launcherPath } from '../../../src/kit/sandbox/find-launcher.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { openPool, type PoolPorts } from '../../../src/rooms/mcp/server-pool.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { McpServer } from '../../../src/core/schema/mcp.ts';
import type { ToolCall } from '../../../src/core/schema/tool.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('a server that has been started and does not answer is not waited for when the pool closes', async () => {
  using folder = temporaryFolder();
  setUp(homeAt(folder.dir));
  const started = join(folder.dir, 'started');
  const place = { kind: 'ready', env: { PATH: '/usr/bin:/bin' }, scratch: folder.dir };
  const pool = openPool({
    home: homeAt(folder.dir),
    clock: Date.now,
    reveal: async () => ({}),
    answersFor: async () => new Map(),
    sandbox: {
      forServer: async () => ({
        ...place,
        launch: { launcher: launcherPath(), rights: null },
        [Symbol.asyncDispose]: async () => undefined,
      }),
    },
  } as unknown as PoolPorts);
  const args = ['-c', `touch ${started}; while :; do sleep 1; done`];
  pool.update(new Map([['mute', McpServer.parse({ command: '/bin/sh', args })]]));
  const call = { tool: 'mcp.mute.act', signal: new AbortController().signal } as ToolCall;
  const called = pool.call('mute', { name: 'act' } as never, {}, call);
  await expect.poll(() => existsSync(started)).toBe(true);
  await pool.close();
  expect(await called).toMatchObject({ status: 'failed', error: expect.not.stringContaining('timed out') as string });
});
