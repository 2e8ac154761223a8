/** The reference servers of the protocol, over pipes and over HTTP, driven by graphs and by a task in prose. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acting, goal, inParts, plan } from '../../support/story-model.ts';
import { call, say, type WireRequest } from '../../support/wire-server-reply.ts';
import type { Story } from '../../support/story.ts';
import {
  accept,
  addServer,
  callOnce,
  modules,
  openServerHome,
  serverFile,
  temporaryFolder,
  writeGraph,
} from './server-home.ts';

const add = (story: Story, name: string, server: string, rights: string[] = [], ...args: string[]): Promise<void> =>
  addServer(story, name, '--path', modules, ...rights, '--', 'node', serverFile(server), ...args);

/** Processes of a server that was started from this folder. */
function pidsOf(server: string): number[] {
  const words = serverFile(server);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(words) && !line.includes('oka-launch') ? [Number(pid)] : [];
      } catch {
        return [];
      }
    });
}

/** A server that is busy has not got the call yet: waits until these processes have slept for as long as that takes. */
async function untilIdle(pids: readonly number[]): Promise<void> {
  const isAsleep = (pid: number): boolean => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] === 'S';
  for (let asleep = 0; asleep < 15; asleep = pids.every(isAsleep) ? asleep + 1 : 0) await sleep(100);
}

describe('the reference servers', () => {
  it('are called by graphs: text, data, images, files and what is remembered', async () => {
    await using story = await openServerHome();
    const notes = temporaryFolder();
    await add(story, 'everything', 'server-everything');
    await add(story, 'files', 'server-filesystem', ['--write', notes], notes);
    await addServer(
      story,
      'memory',
      '--path',
      modules,
      '--write',
      notes,
      '--env',
      `MEMORY_FILE_PATH=${notes}/memory.json`,
      '--',
      'node',
      serverFile('server-memory'),
    );
    for (const name of ['everything', 'files', 'memory']) await accept(story, name);
    expect(await callOnce(story, 'mcp.everything.echo', { message: 'hi' })).toMatchObject({
      status: 'ok',
      output: { from: 'everything', text: 'Echo: hi' },
    });
    const image = await callOnce(story, 'mcp.everything.get-tiny-image', {});
    expect(image).toMatchObject({
      status: 'ok',
      output: { files: [{ about: 'image', artifact: { media: 'image/png' } }] },
    });
    const structured = await callOnce(story, 'mcp.everything.get-structured-content', { location: 'New York' });
    expect(structured).toMatchObject({ status: 'ok', output: { data: { temperature: expect.any(Number) as number } } });
    expect(await callOnce(story, 'mcp.everything.get-sum', { a: 1 })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('"b" is missing') as string,
    });
    expect(
      await callOnce(story, 'mcp.files.write_file', { path: join(notes, 'a.txt'), content: 'kept' }),
    ).toMatchObject({ status: 'ok' });
    expect(readFileSync(join(notes, 'a.txt'), 'utf8')).toBe('kept');
    expect(await callOnce(story, 'mcp.files.read_text_file', { path: '/etc/hostname' })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('Access denied') as string,
    });
    const entity = { name: 'oka', entityType: 'program', observations: ['remembers'] };
    expect(await callOnce(story, 'mcp.memory.create_entities', { entities: [entity] })).toMatchObject({ status: 'ok' });
    expect(await callOnce(story, 'mcp.memory.search_nodes', { query: 'oka' })).toMatchObject({
      output: { data: { entities: [entity] } },
    });
  });

  it('are cancelled and killed during a call, and restarted after a pause; nothing of them is left', async () => {
    await using story = await openServerHome({
      policy: (text) => text.replace('rules: []', "mcp:\n  - { tool: 'mcp.everything.*', class: read }\nrules: []"),
    });
    await add(story, 'everything', 'server-everything');
    await accept(story, 'everything');
    const long = {
      kind: 'tool',
      id: 'long',
      tool: 'mcp.everything.trigger-long-running-operation',
      input: { duration: 100, steps: 100 },
      timeout_seconds: 120,
      max_retries: 0,
    };
    const echo = {
      kind: 'tool',
      id: 'echo',
      tool: 'mcp.everything.echo',
      needs: ['long'],
      input: { message: 'again' },
      timeout_seconds: 60,
      retry: { times: 5, backoff: { seconds: 1 } },
    };
    for (const id of ['first', 'second'])
      story.write(
        `workspace/graphs/${id}.json`,
        JSON.stringify({ id, title: id, nodes: [{ ...long, on_error: 'continue' }, echo] }),
      );
    const startLong = async (id: string): Promise<{ run: string; exited: Promise<unknown> }> => {
      const child = story.start(['graph', 'run', id]);
      const exited = once(child, 'exit');
      const run = await story.until('a call', async () => {
        const started = (await story.eventsOf('call.started')).find((event) => event.run?.startsWith(id) === true);
        return pidsOf('server-everything').length > 0 ? (started?.run ?? undefined) : undefined;
      });
      await untilIdle([child.pid ?? 0, ...pidsOf('server-everything')]);
      return { run, exited };
    };
    const first = await startLong('first');
    expect(await story.oka('cancel', first.run)).toMatchObject({ code: 0 });
    await first.exited;
    expect((await story.eventsOf('run.ended', first.run))[0]?.data.status).toBe('cancelled');
    expect(pidsOf('server-everything')).toEqual([]);
    const second = await startLong('second');
    for (const pid of pidsOf('server-everything')) process.kill(pid, 'SIGKILL');
    await second.exited;
    const [end] = await story.eventsOf('call.ended', second.run);
    expect(end?.data).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/during the call; the call may have had its effect/) as string,
    });
    const last = (await story.eventsOf('call.ended', second.run)).at(-1);
    expect(last?.data).toMatchObject({ status: 'ok', output: { text: 'Echo: again' } });
    expect(pidsOf('server-everything')).toEqual([]);
  });

  it('are in doubt when oka was killed during a call: nothing is repeated before a person has said so', async () => {
    await using story = await openServerHome();
    await add(story, 'everything', 'server-everything');
    await accept(story, 'everything');
    const tool = 'mcp.everything.trigger-long-running-operation';
    writeGraph(story, 'long', [[tool, { duration: 30, steps: 30 }]]);
    const child = story.start(['graph', 'run', 'long']);
    await story.until('the call', async () => (pidsOf('server-everything').length > 0 ? true : undefined));
    await untilIdle([child.pid ?? 0, ...pidsOf('server-everything')]);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await story.until('the end of the server', async () =>
      pidsOf('server-everything').length === 0 ? true : undefined,
    );
    story.work();
    const { for: awaited } = await story.asked('question');
    expect(awaited).toMatchObject({ text: expect.stringContaining(tool) as string });
    const calls = (await story.eventsOf('call.started')).filter(({ data }) => data.tool === tool);
    expect(calls).toHaveLength(1);
  });

  it('ask a person, and get the answer when the call is made again', async () => {
    await using story = await openServerHome();
    await add(story, 'everything', 'server-everything');
    await accept(story, 'everything');
    writeGraph(story, 'ask', [['mcp.everything.trigger-elicitation-request', {}]]);
    expect((await story.oka('graph', 'run', 'ask')).code).toBe(4);
    const { wait, for: awaited } = await story.asked('question');
    expect(awaited).toMatchObject({
      repeat: true,
      text: expect.stringContaining('mcp.everything.trigger-elicitation-request asks') as string,
    });
    const answered = await story.oka('answer', wait, 'name: Ann\ncheck: yes');
    expect(answered.code).toBe(0);
    const last = (await story.eventsOf('call.ended')).at(-1)?.data;
    expect(last).toMatchObject({ status: 'ok' });
    expect(JSON.stringify(last?.output)).toContain('Ann');
  });

  it('ask the model where their entry has a budget, which bounds it; the run pays', async () => {
    const requests: WireRequest[] = [];
    await using story = await openServerHome({
      model: (request) => {
        requests.push(request);
        return say('An answer of the model.', { usage: { in: 50, out: 7 } });
      },
    });
    await add(story, 'everything', 'server-everything');
    const file = join(story.home.oka, 'rules/mcp.json');
    const entries = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { everything: object } };
    Object.assign(entries.mcpServers.everything, { sampling: { calls: 1, tokens: 60 } });
    writeFileSync(file, JSON.stringify(entries));
    await accept(story, 'everything');
    const asked = { prompt: 'What is a mast?', maxTokens: 1000 };
    const { status, output } = await callOnce(story, 'mcp.everything.trigger-sampling-request', asked);
    expect(status).toBe('ok');
    expect(JSON.stringify(output)).toContain('An answer of the model.');
    expect(requests).toHaveLength(1);
    expect(requests[0]?.text).toContain('What is a mast?');
    expect(requests[0]?.tools).toEqual([]);
    const nested = (await story.eventsOf('call.started')).find(({ data }) => data.tool === 'model.complete');
    expect(nested?.data.input).toMatchObject({ max_tokens: 60 });
    const paid = (await story.eventsOf('call.ended')).find(({ data }) => data.call === nested?.data.call);
    expect(paid?.data.usage?.tokens_out).toBe(7);
  });

  it('work over streamable HTTP', async () => {
    await using story = await openServerHome();
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as { port: number };
    probe.close();
    const server = spawn(process.execPath, [serverFile('server-everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    try {
      await story.until('the server', async () =>
        fetch(`http://127.0.0.1:${port}/mcp`).then(
          () => true,
          () => undefined,
        ),
      );
      await addServer(story, 'remote', '--url', `http://127.0.0.1:${port}/mcp`);
      await accept(story, 'remote');
      expect(await callOnce(story, 'mcp.remote.echo', { message: 'far' })).toMatchObject({
        status: 'ok',
        output: { from: 'remote', text: 'Echo: far' },
      });
      server.kill('SIGKILL');
      await once(server, 'exit');
      expect(await callOnce(story, 'mcp.remote.echo', { message: 'far' })).toMatchObject({ status: 'failed' });
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('are used by a task in prose, which waits for a yes before anything is written', async () => {
    const notes = temporaryFolder();
    const write = call('mcp_files_write_file', { path: join(notes, 'plan.txt'), content: 'on Friday' });
    await using story = await openServerHome({
      allow: false,
      model: inParts({
        planner: () =>
          plan([goal('write', 'Write the plan', ['mcp.files.write_file'])], [`the file plan.txt is written`]),
        executor: acting(write),
        critic: () => call('submit_verdict', { criteria: [], verdict: 'impossible', reason: 'enough' }),
      }),
    });
    await add(story, 'files', 'server-filesystem', ['--write', notes], notes);
    await accept(story, 'files');
    story.drop('plan.md', `---\nid: plan\n---\nWrite "on Friday" to ${notes}/plan.txt with mcp.files.write_file.\n`);
    story.work();
    const { wait } = await story.asked('approval');
    expect(existsSync(join(notes, 'plan.txt'))).toBe(false);
    expect(await story.oka('approve', wait)).toMatchObject({ code: 0 });
    const written = (): string | null =>
      existsSync(join(notes, 'plan.txt')) ? readFileSync(join(notes, 'plan.txt'), 'utf8') : null;
    await expect.poll(written, { timeout: 60_000 }).toBe('on Friday');
  });

  it('are read without a question where a person said that they only read, and asked about where nobody did', async () => {
    const notes = temporaryFolder();
    writeFileSync(join(notes, 'day.txt'), 'on Friday');
    const names = ['mcp.files.read_text_file', 'mcp.files.write_file'];
    const write = call('mcp_files_write_file', { path: join(notes, 'plan.txt'), content: 'on Friday' });
    await using story = await openServerHome({
      allow: false,
      model: inParts({
        planner: () => plan([goal('write', 'Write the plan', names)], [`the file plan.txt is written`]),
        executor: acting(call('mcp_files_read_text_file', { path: join(notes, 'day.txt') }), write),
      }),
    });
    await add(story, 'files', 'server-filesystem', ['--write', notes], notes);
    const shown = JSON.parse((await story.oka('mcp', 'tools', 'files', '--json')).out) as {
      tools: { name: string; class: string; offered: boolean; about: string }[];
    };
    const offered = shown.tools.filter((tool) => tool.offered).map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(['mcp.files.read_text_file', 'mcp.files.list_directory']));
    for (const changing of ['write_file', 'edit_file', 'move_file', 'create_directory'])
      expect(offered).not.toContain(`mcp.files.${changing}`);
    expect(shown.tools.at(-1)?.about, 'deprecated ones come last').toMatch(/deprecated/i);
    expect(await story.oka('mcp', 'tools', 'files', '--accept', '--read', 'nonsense')).toMatchObject({ code: 2 });
    const accepted = await story.oka('mcp', 'tools', 'files', '--accept', '--read', 'read_text_file,list_directory');
    expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining('list_directory, read_text_file') });
    for (const [name, said] of [
      ['read_text_file', 'read: allow'],
      ['read_media_file', 'external_mutation: ask'],
    ] as const)
      expect((await story.oka('classify', '--tool', `mcp.files.${name}`)).out).toContain(said);
    story.drop('plan.md', `---\nid: plan\n---\nWrite the day of ${notes}/day.txt to ${notes}/plan.txt.\n`);
    story.work();
    const asked = await story.asked('approval');
    const calls = (await story.eventsOf('call.started')).map(({ data }) => [data.tool, data.class]);
    expect(calls).toContainEqual(['mcp.files.read_text_file', 'read']);
    expect(JSON.stringify(asked)).toContain('oka mcp tools files --accept --read write_file');
    await story.oka('mcp', 'tools', 'files', '--accept', '--ask', 'read_text_file');
    expect((await story.oka('classify', '--tool', 'mcp.files.read_text_file')).out).toContain('external_mutation: ask');
  });
});
