/** Choosing among the tools of the real reference servers, with thirty skills besides, through the worker. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTokenCounter } from '../../src/kit/text/tokens.ts';
import { oka } from '../support/cli.ts';
import { skillText, thirtySkills, writeSkill } from '../support/skills.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { call, type WireRequest } from '../support/wire-server-reply.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');
const server = (name: string): string => join(MODULES, `@modelcontextprotocol/server-${name}/dist/index.js`);

async function addServer(story: Story, name: string, folder: string, ...args: string[]): Promise<void> {
  const rights = ['--yes', '--path', MODULES, '--write', folder, '--dir', story.home.dir];
  const added = await oka('mcp', 'add', name, ...rights, '--', 'node', server(name), ...args);
  expect(added, `${added.out}${added.err}`).toMatchObject({ code: 0 });
  const accepted = await story.oka('mcp', 'tools', name, '--accept');
  expect(accepted, `${accepted.out}${accepted.err}`).toMatchObject({ code: 0 });
}

it('a worker finds a tool that its plan did not name, and calls it once a person has agreed', async () => {
  const requests: WireRequest[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'oka-choice-'));
  await using story = await openStory({
    model: (request) => {
      requests.push(request);
      return inParts({
        planner: () =>
          plan([goal('add', 'Add 17 and 25', ['tools.search', 'files.write'])], ['contains: sum.txt "42"']),
        executor: acting(
          call('tools_search', { query: 'sum of two numbers' }),
          call('mcp_everything_get-sum', { a: 17, b: 25 }),
          call('files_write', { path: 'sum.txt', content: '42\n' }),
        ),
        critic: refusing,
      })(request);
    },
  });
  await addServer(story, 'everything', folder);
  await addServer(story, 'filesystem', folder, folder);
  await addServer(story, 'memory', folder);
  for (const { name, description } of thirtySkills())
    writeSkill(join(story.home.workspace, 'skills'), name, { 'SKILL.md': skillText(name, description, 'Do it.') });
  story.drop('sum.md', '---\nid: sum\n---\nAdd 17 and 25 and write the sum to sum.txt.\n');
  story.work();
  const { run } = await story.asked('approval');
  expect((await story.oka('approve', run)).code).toBe(0);
  await story.ended('sum');
  const [planner, first, second, third] = requests;
  expect(planner?.text).toMatch(/mcp\.everything\.get-sum\(a, b\): /);
  expect(planner?.text).toMatch(/\d+ further tools of servers/);
  expect(first?.tools).not.toContain('mcp_everything_get-sum');
  expect(second?.tools).toContain('mcp_everything_get-sum');
  expect(third?.text).toContain('42');
  const counter = await createTokenCounter('openai');
  const [, offered = ''] = /(Tools of servers:\n[^]*?)\n\nNow:/.exec(planner?.text ?? '') ?? [];
  expect(offered).toContain('Skills, instructions');
  expect(counter.count(offered)).toBeLessThanOrEqual(600);
  rmSync(folder, { recursive: true, force: true });
});
