import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openArtifacts } from '../../../src/core/ledger/artifact-store.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { ToolAnnotations } from '../../../src/core/schema/tool.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { toolRanks } from '../../../src/rooms/runs/tool-ranks.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('gives the places of the tools that were chosen, by the list that the run had', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  const listed = (name: string, annotations: Partial<ToolAnnotations>): object => ({
    name,
    annotations: ToolAnnotations.parse(annotations),
    input: { type: 'object', properties: {} },
  });
  const list = [
    listed('files.remove', { destructive: true, risk: 'high' }),
    listed('files.read', { read_only: true, idempotent: true, cacheable: true, risk: 'low' }),
    listed('files.write', { idempotent: true, risk: 'low' }),
  ];
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
  const { sha256 } = await artifacts.put(JSON.stringify(list), { media: 'application/json' });
  const decided = (tool: string, also: string[] = []): object => ({
    type: 'decision.made',
    data: { decision: { kind: 'CallTool', tool, also: also.map((each) => ({ tool: each })) } },
  });
  const events = [{ type: 'run.started', data: { tools: sha256 } }, decided('files.write', ['files.read'])];
  expect(await toolRanks(home, events as unknown as Event[])).toMatchObject([
    { tool: 'files.read', rank: 1, of: 3, score: 23.5, because: expect.arrayContaining(['only reads', 'stays here']) },
    { tool: 'files.write', rank: 2, of: 3, because: expect.arrayContaining(['changes something', 'may be repeated']) },
  ]);
  const lost = [{ type: 'run.started', data: { tools: '0'.repeat(64) } }, decided('files.write')];
  expect(await toolRanks(home, lost as unknown as Event[])).toEqual([]);
  expect(await toolRanks(home, [{ type: 'run.started', data: { tools: sha256 } }] as unknown as Event[])).toEqual([]);
});
