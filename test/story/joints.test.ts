/** Pairs of parts that no other story goes through together, each looked at from outside (docs/JOINTS.md). */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signWebhook } from '../../src/rooms/channels/webhook/webhook-channel.ts';
import { openChatStory, persona } from '../support/chat-story.ts';
import { launcher, oka } from '../support/cli.ts';
import { SOUND_SKILLS, writeSkill } from '../support/skills.ts';
import { fillDisk, freeDisk, mayMount, mountSmall, unmount } from '../support/small-disk.ts';
import { openStory } from '../support/story.ts';
import { openWebClient } from '../support/web-client.ts';

describe('conversations', () => {
  it('memory × chat: what a person said in one conversation is known to an agent in another, as that person’s words', async () => {
    await using chat = await openChatStory({ ann: persona('Knows things.') }, () => 'On Thursdays at four.', {
      config: { memory: { cap: 1500, vectors: false } },
    });
    const { story } = chat;
    story.work();
    chat.open('kitchen');
    chat.post('kitchen', '@ann my dentist is in Mill Lane, appointments are on Thursdays at four');
    await chat.settled('kitchen', 2);
    chat.open('garden');
    chat.post('garden', '@ann when is an appointment at my dentist?');
    await chat.settled('garden', 2);
    const prompt = story.model.requests.at(-1)?.text ?? '';
    expect(prompt).toContain('Mill Lane');
    expect((await story.oka('memory', 'retrieve', 'dentist')).out).toContain('Mill Lane');
  });

  it('offers × chat: an agent that may use skills is told which there are, and another one is not', async () => {
    const agents = {
      ann: persona('Adds up.', 'tools: [skill.use]\n'),
      ben: persona('Talks.', 'tools: [files.read]\n'),
    };
    await using chat = await openChatStory(agents, () => 'Yes.');
    const { story } = chat;
    for (const [name, files] of Object.entries(SOUND_SKILLS))
      writeSkill(join(story.home.workspace, 'skills'), name, files);
    story.work();
    chat.open('yard');
    chat.post('yard', '@ann add up the amounts of orders.csv');
    await chat.settled('yard', 2);
    chat.post('yard', '@ben add up the amounts of orders.csv');
    await chat.settled('yard', 4);
    const [ann, ben] = story.model.requests.map(({ text }) => text.includes('csv-totals'));
    expect([ann, ben]).toEqual([true, false]);
  });
});

describe('the context tree', () => {
  it('agents × tree: a frame has an author who is an agent of this home, and stays when the agent is gone', async () => {
    await using story = await openStory();
    story.write('workspace/desk/a.md', '# A\n\nAbout a.\n');
    story.write('frame.md', 'It is about a.\n');
    expect((await story.oka('context', 'scan')).code).toBe(0);
    const put = (agent: string): ReturnType<typeof story.oka> =>
      story.oka('context', 'put-frame', 'desk/a.md', join(story.home.dir, 'frame.md'), '--agent', agent);
    expect((await put('nobody')).code).not.toBe(0);
    story.write('.oka/rules/agents/ann.md', persona('Writes frames.'));
    expect((await put('ann')).err).toContain('the agent ann may not add frames');
    story.write('.oka/rules/agents/ann.md', persona('Writes frames.', 'role: writer\n'));
    expect(await put('ann')).toMatchObject({ code: 0 });
    rmSync(join(story.home.oka, 'rules/agents/ann.md'));
    expect((await story.oka('context', 'get-head', 'desk/a.md', '--type', 'note')).out).toContain('It is about a.');
    expect((await put('ann')).code).not.toBe(0);
    expect((await story.oka('context', 'validate')).code).toBe(0);
  });

  it('graphs × synthesis: a change of the desk starts the graph of on_change once, with what has changed', async () => {
    await using story = await openStory({
      config: { tree: { watch: 'mark', watch_seconds: 1, on_change: ['noted'] } },
    });
    const line = 'echo {{input.workspace}}';
    const node = { kind: 'tool', id: 'note', tool: 'shell', input: { line }, timeout_seconds: 30, max_retries: 0 };
    story.write('workspace/graphs/noted.json', JSON.stringify({ id: 'noted', title: 'Noted', nodes: [node] }));
    story.write('workspace/desk/a.md', '# A\n');
    expect((await story.oka('context', 'scan')).code).toBe(0);
    story.work();
    story.write('workspace/desk/b.md', '# B\n');
    const ended = await story.until('the run', async () =>
      (await story.eventsOf('run.ended')).find(({ run }) => run?.startsWith('noted-') === true),
    );
    const [started] = await story.eventsOf('run.started', ended.run ?? '');
    expect(started?.data.input).toMatchObject({ workspace: 'workspace', added: 1, removed: 0 });
  });

  it('tree × rename: a folder that is renamed under a worker keeps its frames, under its new name alone', async () => {
    await using story = await openStory({ config: { tree: { watch: 'mark', watch_seconds: 1 } } });
    story.write('workspace/desk/old/a.md', '# A\n\nAbout a.\n');
    story.work();
    expect((await story.oka('context', 'synthesize', 'desk/old')).code).toBe(0);
    renameSync(story.desk('old'), story.desk('new'));
    await story.until('the new name', async () =>
      (await story.oka('context', 'get-node', 'desk/new/a.md')).out.includes('About a') ? true : undefined,
    );
    expect((await story.oka('context', 'get-node', 'desk/old/a.md')).code).not.toBe(0);
    expect((await story.oka('context', 'validate')).code).toBe(0);
  });
});

it('live × MCP: what a server says while it works is on the screen of whoever watches, before the call has ended', async () => {
  const server = join(import.meta.dirname, '../outside/mcp/hostile-server.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'oka-joint-'));
  await using story = await openStory({
    policy: (text) => text.replace('rules: []', "rules:\n  - { effect: allow, tool: 'mcp.*' }"),
  });
  const options = ['--path', join(import.meta.dirname, '../outside/mcp'), '--write', folder];
  await oka(
    'mcp',
    'add',
    '--dir',
    story.home.dir,
    'talks',
    ...options,
    '--',
    'node',
    server,
    'talks',
    join(folder, 'log'),
  );
  await story.oka('mcp', 'tools', 'talks', '--accept');
  const node = { kind: 'tool', id: 'act', tool: 'mcp.talks.act', input: {}, timeout_seconds: 60, max_retries: 0 };
  story.write('workspace/graphs/acts.json', JSON.stringify({ id: 'acts', title: 'Acts', nodes: [node] }));
  story.work();
  const running = story.oka('graph', 'run', 'acts');
  const run = await story.until(
    'the call',
    async () => (await story.eventsOf('call.started')).at(-1)?.run ?? undefined,
  );
  const { out } = await story.oka('show', run, '--follow');
  await running;
  expect(out).toContain('half of it');
  rmSync(folder, { recursive: true });
});

it('channel × pause: a signed call that comes while everything is paused is kept, and is done once afterwards', async () => {
  await using story = await openStory();
  story.write('.oka/rules/hooks/deploy.md', '# Deploy\n\n```bash\necho deployed >> deployed.txt\n```\n');
  const made = await story.oka('channels', 'hook', 'deploy', '--json');
  const { key, path } = JSON.parse(made.out) as { key: string; path: string };
  story.work();
  expect((await story.oka('pause')).code).toBe(0);
  const client = await openWebClient({ home: story.home });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': signWebhook(key, 'msg_1', timestamp, '{}'),
  };
  const { status, text } = await client.send(path, { method: 'POST', headers, body: '{}' });
  expect(status).toBe(202);
  await client.close();
  const task = (JSON.parse(text) as { task?: string }).task;
  expect(task).toBeDefined();
  expect(await story.eventsOf('run.started', task)).toEqual([]);
  expect((await story.oka('status')).out).toContain('paused');
  await story.oka('unpause');
  expect((await story.ended(task ?? '')).status).toBe('done');
  expect(await story.eventsOf('run.started', task)).toHaveLength(1);
});

describe.skipIf(!mayMount)('on a small disk (needs the right to mount a tmpfs)', () => {
  it('schedule × full disk: a time that comes while the disk is full is kept once there is space', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'oka-full-'));
    mountSmall(dir, 'size=64m');
    let up: ChildProcess | null = null;
    let told = '';
    try {
      await oka('init', '--dir', dir);
      const at = `${new Date(Date.now() + 8000).toISOString().slice(0, 19)}Z`;
      const task = `---\nid: slot\nat: ${at}\n---\n\`\`\`bash\necho on time >> slot.txt\n\`\`\`\n`;
      mkdirSync(join(dir, 'workspace/schedules'), { recursive: true });
      writeFileSync(join(dir, 'workspace/schedules/slot.md'), task);
      up = spawn(process.execPath, [launcher, 'up', '--alone', '--no-setup', '--no-web', '--dir', dir]);
      for (const stream of [up.stdout, up.stderr]) stream?.on('data', (chunk: Buffer) => (told += chunk.toString()));
      await expect.poll(() => told, { timeout: 60_000 }).toContain('oka watches');
      fillDisk(dir);
      await expect.poll(() => Date.now() > Date.parse(at) + 4000, { timeout: 60_000 }).toBe(true);
      const file = join(dir, 'workspace/desk/slot.txt');
      expect(existsSync(file)).toBe(false);
      freeDisk(dir);
      await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 120_000 }).toBe('on time\n');
      expect(up.exitCode).toBeNull();
    } finally {
      if (up !== null && up.exitCode === null) {
        up.kill('SIGTERM');
        await once(up, 'exit');
      }
      unmount(dir);
      rmSync(dir, { recursive: true });
    }
  });
});
