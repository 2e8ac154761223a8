/** Only the launcher of a command is killed, and the worker lives: what the command did is counted outside. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errnoOf } from '../../src/core/schema/errors.ts';
import { canJail, whyNot } from '../support/launcher.ts';
import { openRecordingServer, portOf } from '../support/recording-server.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let server: Server;
let requests: string[];
beforeEach(async () => {
  requests = [];
  server = await openRecordingServer('counter', requests);
});
afterEach(() => void server.close());

/** The launchers that run commands in this home. */
function launchersOf({ home }: Story): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const isLauncher = /(?:^|\/)oka-launch(?:-[\w.-]+)?$/.test(words[0] ?? '') && words.includes('--result');
      return isLauncher && words.some((word) => word.startsWith(home.oka)) ? [Number(name)] : [];
    } catch {
      return []; // it has ended
    }
  });
}

async function killLauncher(story: Story): Promise<void> {
  const pids = await story.until('its launcher', async () => {
    const found = launchersOf(story);
    return found.length === 0 ? undefined : found;
  });
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (errnoOf(error) !== 'ESRCH') throw error; // it had just ended
    }
}

const WAITS = 'touch begun; until [ -e go ]; do sleep 0.05; done';
const begun = (story: Story): Promise<true> =>
  story.until('its step', async () => (existsSync(story.desk('begun')) ? true : undefined));

describe.runIf(canJail)(`a launcher that ends without its record${whyNot}`, () => {
  it('leaves a request in doubt, and not failed: it is not sent again, and a person decides', async () => {
    await using story = await openStory();
    const line = `curl -sS -d x http://127.0.0.1:${portOf(server)}/\n${WAITS}`;
    story.drop('post.md', `---\nid: post\n---\n\`\`\`bash net:127.0.0.1:${portOf(server)}\n${line}\n\`\`\`\n`);
    story.work();
    await begun(story);
    await killLauncher(story);
    const { wait, for: asked } = await story.asked('question');
    expect(asked).toMatchObject({ text: expect.stringContaining('how it ended is unknown') as string });
    expect(await story.eventsOf('run.ended')).toEqual([]);
    expect(requests).toHaveLength(1);
    await story.oka('answer', wait, 'done');
    expect(await story.ended('post')).toMatchObject({ status: 'done' });
    expect(requests).toHaveLength(1);
  });

  it('leaves the line of a worker in doubt: it is written once, and the model is not told that it failed', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => plan([goal('add', 'add the line', ['shell'])], ['file: log.txt']),
        executor: acting(call('shell', { line: `echo line >> log.txt; ${WAITS}` })),
        critic: refusing,
      }),
    });
    story.drop('add.md', '---\nid: add\nbudget: { replans: 0 }\n---\nAdd one line to log.txt.\n');
    story.work();
    await begun(story);
    await killLauncher(story);
    const { wait } = await story.asked('question');
    expect(story.deskText('log.txt')).toBe('line\n');
    expect(
      (await story.eventsOf('call.ended')).filter(({ data }) => data.node === 'add' && data.status === 'failed'),
    ).toEqual([]);
    await story.oka('answer', wait, 'done');
    await story.ended('add');
    expect(story.deskText('log.txt')).toBe('line\n');
  });

  it('killed at any moment, it never has its command executed a second time', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () => plan([goal('add', 'add the line', ['shell'])], ['file: log.txt']),
        executor: acting(call('shell', { line: 'echo line >> log.txt; sleep 0.3' })),
        critic: refusing,
      }),
    });
    story.work();
    for (let round = 1; round <= 4; round += 1) {
      const id = `add${round}`;
      story.drop(`${id}.md`, `---\nid: ${id}\ndir: ${id}\nbudget: { replans: 0 }\n---\nAdd one line to log.txt.\n`);
      await killLauncher(story);
      const after = await story.until('its end or a question', async () => {
        const page = story.page(id);
        return page !== null && !page.includes('In progress') ? page : undefined;
      });
      expect(after).toMatch(/Not done|Failed|Not possible|Blocked/);
      expect((story.deskText('log.txt') ?? '').split('\n').length - 1).toBeLessThanOrEqual(round);
    }
  });
});
