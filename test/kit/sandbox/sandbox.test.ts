import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { classifierOf } from '../../../src/kit/policy/classifier.ts';
import { openSandbox, type SandboxPorts } from '../../../src/kit/sandbox/sandbox.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { ToolCall } from '../../../src/core/schema/tool.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { callOf } from '../../support/engine-fakes.ts';

it('an approved push reaches the host of its remote, once or for the whole run; without an answer it reaches none', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const line = 'git push origin main';
  for (const each of [home.oka, join(home.workspace, 'desk/.git')]) mkdirSync(each, { recursive: true });
  writeFileSync(join(home.workspace, 'desk/.git/config'), '[remote "origin"]\n\turl = https://git.example.org/a.git\n');
  const granted: (readonly string[])[] = [];
  const egress = {
    grant: async ({ hosts }: { hosts: readonly string[] }) => {
      granted.push(hosts);
      return null;
    },
  } as unknown as SandboxPorts['egress'];
  const sandbox = openSandbox({ home, sandbox: 'none', classify: classifierOf(home), egress });
  const call = callOf({ tool: 'shell', class: 'external_mutation', author: 'model', input: { line } });
  for (const answer of [{ approval: 'a'.repeat(64) }, { isAllowedForRun: true }, {}] satisfies Partial<ToolCall>[])
    await sandbox.forCommand({ ...call, ...answer }, { line }, { net: false, timeoutMs: 1000, readable: [] });
  expect(granted).toEqual([['git.example.org'], ['git.example.org'], []]);
});

it('a command that must not have the network is refused where nothing can keep it from the network', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const egress = { grant: () => Promise.resolve(null) } as unknown as SandboxPorts['egress'];
  const sandbox = openSandbox({ home, sandbox: 'none', classify: classifierOf(home), egress });
  const call = callOf({ tool: 'shell', class: 'write_local', author: 'operator', input: { line: 'x' } });
  const request = { net: false, isOffline: true, timeoutMs: 1000, readable: [] };
  expect(await sandbox.forCommand(call, { line: 'x' }, request)).toMatchObject({ kind: 'refused' });
});
