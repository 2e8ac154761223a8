/**
 * A person answers "always for this tool" where a tool of a server is asked about: from then on its calls are made without a
 * question, until the person ends that or the tool is another one.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oka } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';

const SERVER = join(import.meta.dirname, '../outside/mcp/hostile-server.mjs');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oka-always-')));
const log = join(folder, 'acted');
const BOUNDS = { timeout_seconds: 60, max_retries: 0 };

async function openHome(): Promise<Story> {
  const story = await openStory();
  const rights = ['--path', join(import.meta.dirname, '../outside/mcp'), '--write', folder];
  const added = await oka('mcp', 'add', '--dir', story.home.dir, 'plain', ...rights, '--', 'node', SERVER, 'none', log);
  expect(added).toMatchObject({ code: 0, err: '' });
  expect(await story.oka('mcp', 'tools', 'plain', '--accept')).toMatchObject({ code: 0 });
  const call = (id: string, needs: string[]): object => ({
    kind: 'tool',
    id,
    tool: 'mcp.plain.act',
    input: {},
    needs,
    ...BOUNDS,
  });
  const graph = { id: 'acts', title: 'acts', nodes: [call('first', []), call('second', ['first'])] };
  story.write('workspace/graphs/acts.json', JSON.stringify(graph));
  story.work();
  return story;
}

const acted = (): number => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0);

/** Starts the graph, and returns the waits for approvals of all runs so far, once its end or one more question is there. */
async function runOnce(story: Story, before: number): Promise<string[]> {
  const ends = (await story.eventsOf('run.ended')).length;
  const ran = story.oka('graph', 'run', 'acts');
  const asked = await story.until('an end or a question', async () => {
    const asked = (await story.eventsOf('wait.opened')).flatMap(({ data }) =>
      data.for.kind === 'approval' ? [data.wait] : [],
    );
    const hasEnded = (await story.eventsOf('run.ended')).length > ends;
    return asked.length > before || hasEnded ? asked : undefined;
  });
  if (asked.length === before) expect(await ran).toMatchObject({ code: 0 });
  return asked;
}

it('the answer holds for every call of the tool in all runs, is shown, and ends when the person says so', {
  timeout: 120_000,
}, async () => {
  await using story = await openHome();
  const [wait = ''] = await runOnce(story, 0);
  const file = join(story.home.oka, 'approvals', `${wait}.md`);
  const page = await story.until('its page', async () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
  expect(page).toContain('Write always instead to allow every call of mcp.plain.act');
  writeFileSync(file, page.replace('decision:', 'decision: always'));
  await story.until('both calls', async () => (acted() === 2 ? true : undefined));
  expect(await runOnce(story, 1)).toHaveLength(1);
  await story.until('four calls', async () => (acted() === 4 ? true : undefined));
  expect((await story.oka('mcp', 'tools', 'plain')).out).toContain('always allowed by');

  expect(await story.oka('mcp', 'tools', 'plain', '--accept', '--ask', 'act')).toMatchObject({ code: 0 });
  const [, again = ''] = await runOnce(story, 1);
  expect(acted()).toBe(4);
  expect(await story.oka('approve', again, '--always-for-this-tool')).toMatchObject({ code: 0 });
  await story.until('six calls', async () => (acted() === 6 ? true : undefined));
  expect(await runOnce(story, 2)).toHaveLength(2);
});
