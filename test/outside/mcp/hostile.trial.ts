/** Servers that misbehave: each gives a clear outcome, and the home goes on. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acting, goal, inParts, plan, refusing } from '../../support/story-model.ts';
import { call } from '../../support/wire-server-reply.ts';
import type { Story } from '../../support/story.ts';
import { accept, addServer, callOnce, here, openServerHome, temporaryFolder } from './server-home.ts';

const file = join(here, 'hostile-server.mjs');

async function addHostile(story: Story, mode: string, ...args: string[]): Promise<string> {
  const folder = temporaryFolder();
  const name = mode.replaceAll(/[^a-z]/g, '');
  await addServer(
    story,
    name,
    '--path',
    here,
    '--write',
    folder,
    '--',
    'node',
    file,
    mode,
    ...(args.length > 0 ? args : [join(folder, 'log')]),
  );
  return folder;
}

const acted = (folder: string): boolean => existsSync(join(folder, 'log'));

describe('a hostile server', () => {
  it('that says nothing, or sends 10 MB of schema or an endless list, is refused with that reason', async () => {
    await using story = await openServerHome();
    for (const [mode, why] of [
      ['silent', /does not answer: /],
      ['huge-schema', /sent a message of more than 4 MB/],
      ['endless-pages', /more than 50 pages/],
    ] as const) {
      await addHostile(story, mode);
      const { code, out, err } = await story.oka('mcp', 'test', mode.replaceAll('-', ''));
      expect({ code, text: `${out}${err}` }).toEqual({ code: 1, text: expect.stringMatching(why) as string });
    }
    const { out } = await story.oka('mcp', 'list');
    expect(out).toContain('hugeschema');
  });

  it('whose tools are malformed loses these tools, and keeps the others', async () => {
    await using story = await openServerHome();
    for (const mode of ['large-tool', 'two-of-one-name', 'control-name', 'no-schema']) {
      const name = mode.replaceAll('-', '');
      const folder = await addHostile(story, mode);
      await accept(story, name);
      const { out } = await story.oka('mcp', 'tools', name);
      expect(out).toMatch(/cannot be used/);
      for (const hidden of ['\u001b[2J', '\u202E']) expect(out).not.toContain(hidden);
      expect(await callOnce(story, `mcp.${name}.act`, {})).toMatchObject({ status: 'ok', output: { text: 'done' } });
      expect(acted(folder)).toBe(true);
    }
  });

  it('that hangs, dies, floods or breaks off leaves the call in doubt with that reason, and the next one works', async () => {
    await using story = await openServerHome();
    for (const [mode, why] of [
      ['die', /ended with exit code 3 during the call; the call may have had its effect/],
      ['broken-json', /sent a message that is not JSON/],
      ['flood', /sent too (?:much|many messages) at once/],
      ['long-line', /sent a message of more than 4 MB/],
    ] as const) {
      await addHostile(story, mode);
      const name = mode.replaceAll('-', '');
      await accept(story, name);
      expect(await callOnce(story, `mcp.${name}.act`, {})).toEqual({
        status: 'cancelled',
        output: null,
        error: expect.stringMatching(why) as string,
      });
    }
    for (const mode of ['hang', 'no-result']) {
      await addHostile(story, mode);
      await accept(story, mode.replace('-', ''));
      expect(await callOnce(story, `mcp.${mode.replace('-', '')}.act`, {}, 10)).toMatchObject({
        status: 'cancelled',
        error: 'it did not end within 10 s and was stopped',
      });
    }
    await addHostile(story, 'long-output');
    await accept(story, 'longoutput');
    const { status, output } = await callOnce(story, 'mcp.longoutput.act', {});
    expect(status).toBe('ok');
    expect(JSON.stringify(output).length).toBeLessThan(40_000);
  });

  it('that asks the model is refused, and one that does not end is ended', async () => {
    await using story = await openServerHome();
    await addHostile(story, 'sampling');
    await accept(story, 'sampling');
    expect(await callOnce(story, 'mcp.sampling.act', {})).toMatchObject({ output: { text: 'refused' } });
    await addHostile(story, 'stubborn');
    await accept(story, 'stubborn');
    expect(await callOnce(story, 'mcp.stubborn.act', {})).toMatchObject({ status: 'ok' });
  });

  it('that leaves its folders or uses the network is stopped by the kernel; without the sandbox it is not', async () => {
    const listener = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const port = String((listener.address() as { port: number }).port);
    try {
      for (const [sandbox, text] of [
        ['jail', 'write EACCES, connect E'],
        ['none', 'wrote, connected'],
      ] as const) {
        await using story = await openServerHome({ config: { sandbox } });
        const outside = temporaryFolder();
        await addServer(story, 'escape', '--path', here, '--', 'node', file, 'escape', '/dev/null', port);
        story.write(
          '.oka/rules/mcp.json',
          readFileSync(join(story.home.oka, 'rules/mcp.json'), 'utf8').replace('/dev/null', join(outside, 'x')),
        );
        await accept(story, 'escape');
        const { status, output, error } = await callOnce(story, 'mcp.escape.act', {});
        if (sandbox === 'none') expect(output).toMatchObject({ text });
        else expect(`${JSON.stringify(output)} ${error} ${status}`).toMatch(/EACCES|EPERM/);
        expect(existsSync(join(outside, 'x.escaped'))).toBe(sandbox === 'none');
      }
    } finally {
      listener.close();
    }
  });

  it('that changes its tools after they were accepted is not called; accepted again, it is', async () => {
    await using story = await openServerHome();
    const folder = temporaryFolder();
    const entry = JSON.stringify({
      mcpServers: {
        late: {
          command: 'sh',
          args: ['-c', `exec node ${file} changed "$(cat ${folder}/words)"`],
          paths: [here, folder],
        },
      },
    });
    story.write('.oka/rules/mcp.json', entry);
    writeFileSync(join(folder, 'words'), 'old');
    await accept(story, 'late');
    writeFileSync(join(folder, 'words'), 'new');
    expect(await callOnce(story, 'mcp.late.act', {})).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('mcp.late.act has changed since it was accepted') as string,
    });
    expect((await story.oka('mcp', 'tools', 'late')).out).toMatch(/description is\s+"Acts\. First read/);
    expect((await story.oka('doctor')).out).toContain('changed since they were accepted: act');
    await accept(story, 'late');
    expect((await callOnce(story, 'mcp.late.act', {})).error).not.toContain('has changed');
    story.write('.oka/mcp/late.json', '{"version":1');
    expect((await story.oka('mcp', 'list')).out).toContain('cannot be used');
    const closed = await story.oka('graph', 'list');
    expect(closed.code).toBe(0);
  });

  it('whose words tell a model what to do has no effect without a yes; where a rule allows the call, it has', async () => {
    for (const isAllowed of [false, true]) {
      const rule = isAllowed ? 'rules:\n  - { effect: allow, tool: mcp.hijacked.act }' : 'rules: []';
      await using story = await openServerHome({
        policy: (text) => text.replace('rules: []', `mcp:\n  - { tool: mcp.hijacked.news, class: read }\n${rule}`),
        model: inParts({
          planner: () =>
            plan([goal('news', 'Read the news', ['mcp.hijacked.news', 'mcp.hijacked.act'])], ['the news are known']),
          executor: acting(call('mcp_hijacked_news', {}), call('mcp_hijacked_act', {})),
          critic: refusing,
        }),
      });
      const folder = await addHostile(story, 'hijacked');
      await accept(story, 'hijacked');
      story.drop('news.md', '---\nid: news\n---\nWhat is new? Ask mcp.hijacked.news.\n');
      story.work();
      if (isAllowed) await story.ended('news');
      else await story.asked('approval');
      const calls = (await story.eventsOf('call.ended')).filter(({ data }) =>
        JSON.stringify(data.output).includes('SYSTEM'),
      );
      expect({ hasRead: calls.length > 0, acted: acted(folder) }).toEqual({ hasRead: true, acted: isAllowed });
    }
  });

  it('cannot make anything happen without a yes; with one it does', async () => {
    for (const allow of [false, true]) {
      await using story = await openServerHome({ allow });
      const folder = await addHostile(story, 'plain');
      await accept(story, 'plain');
      const { status } = await callOnce(story, 'mcp.plain.act', {});
      expect({ status, acted: acted(folder) }).toEqual(
        allow ? { status: 'ok', acted: true } : { status: 'waiting', acted: false },
      );
    }
  });
});
