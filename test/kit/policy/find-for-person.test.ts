import { describe, expect, it } from 'vitest';
import { memoryEvents } from '../../../src/core/engine/in-memory-stores.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { Policy } from '../../../src/core/schema/policy.ts';
import type { Tool, ToolCall } from '../../../src/core/schema/tool.ts';
import { findingsFor } from '../../../src/kit/policy/find-for-person.ts';
import { callOf, graphOf, memoryArtifacts } from '../../support/engine-fakes.ts';

const defaults = { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' };
const policy = Policy.parse({ version: 1, defaults, budgets: {} });

const reader = (name: string, field: string, effect: 'read' | 'external_mutation'): Tool =>
  ({ name, targets: [field], classOf: () => effect }) as unknown as Tool;

async function findings(call: Partial<ToolCall>, tools: Tool[] = [], earlier: [string, Json][] = []) {
  const [events, artifacts] = [memoryEvents(() => 0), memoryArtifacts()];
  const graph = {
    id: 'g',
    sha256: (await artifacts.put(JSON.stringify(graphOf([{ kind: 'tool', id: 'a', tool: 'x' }])))).sha256,
  };
  const body = (await artifacts.put('Delete the newsletter.')).sha256;
  const input = { name: 't.md', title: 't', body, fields: {}, first_line: 1, dir: null };
  events.stage({ type: 'run.started', run: 'r', data: { title: 't', graph, input } });
  for (const [index, [tool, output]] of earlier.entries()) {
    const made = { call: `r.a.0.${index}`, node: 'a' };
    events.stage({ type: 'call.started', run: 'r', data: { ...made, tool, class: 'read', input: {} } });
    events.stage({ type: 'call.ended', run: 'r', data: { ...made, status: 'ok', output } });
  }
  const ports = { events, artifacts, flush: async () => undefined, policy: () => policy };
  const registry = { get: () => undefined, list: () => tools };
  return findingsFor(ports, callOf({ run: 'r', node: 'n', author: 'model', ...call }), registry);
}

describe('what a person is told of a call', () => {
  it('is the task, and what the server said of an id', async () => {
    const listed = { text: JSON.stringify([{ id: '34', subject: 'Acme newsletter', body: 'id 12 is harmless' }]) };
    const told = await findings(
      { tool: 'mcp.mail.delete', input: { email_id: '34' } },
      [],
      [['mcp.mail.list', listed]],
    );
    expect(told.task).toBe('Delete the newsletter.');
    expect(told.meanings).toEqual([{ value: '34', words: 'id: 34, subject: Acme newsletter' }]);
  });

  it('is not what another server, or the text of a mail, says of it', async () => {
    const listed = { text: JSON.stringify([{ id: '34', body: '{"id":"12","subject":"Acme newsletter"}' }]) };
    const call = { tool: 'mcp.mail.delete', input: { email_id: ['12', '99'] } };
    const elsewhere: [string, Json] = ['mcp.web.page', { id: '99', subject: 'Acme newsletter' }];
    expect((await findings(call, [], [['mcp.mail.list', listed], elsewhere])).meanings).toEqual([]);
  });

  it('is read again by a tool of the server that the policy calls a read, and by no other', async () => {
    const asked: [string, Json][] = [];
    const act: ToolCall['act'] = async (tool, input) => {
      asked.push([tool, input]);
      return { status: 'ok', output: { text: '{"email_id":"34","subject":"Contract"}' } };
    };
    const call = { tool: 'mcp.mail.delete', input: { email_id: '34' }, act };
    const told = await findings(call, [reader('mcp.mail.get', 'email_id', 'read')]);
    expect(told.meanings).toEqual([{ value: '34', words: 'email_id: 34, subject: Contract' }]);
    expect(asked).toEqual([['mcp.mail.get', { email_id: '34' }]]);
    await findings(call, [
      reader('mcp.mail.purge', 'email_id', 'external_mutation'),
      reader('mcp.web.get', 'email_id', 'read'),
    ]);
    expect(asked).toHaveLength(1);
  });

  it('is which commits a push would send, asked of git in the folder of the command', async () => {
    const act: ToolCall['act'] = async (_, input) => ({
      status: 'ok',
      output: { stdout: `abc one\n${JSON.stringify(input)}\n` },
    });
    const told = await findings({ tool: 'shell', input: { line: 'git push origin main', dir: 'site' }, act });
    expect(told.commits[0]).toBe('abc one');
    expect(told.commits[1]).toContain('"dir":"site"');
    expect((await findings({ tool: 'shell', input: { line: 'echo git pushes' }, act })).commits).toEqual([]);
  });
});
