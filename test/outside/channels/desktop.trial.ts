/** Notifications on a real desktop: switched on by `oka up` on a terminal, replaced in place, and off by a setting. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { openPseudoTerminal } from '../../support/pseudo-terminal.ts';
import { openStory, type Story } from '../../support/story.ts';
import { hasDesktop, openVirtualDesktop, type VirtualDesktop } from '../../support/virtual-desktop.ts';

const paint = {
  id: 'paint',
  nodes: [{ kind: 'wait', id: 'ask', for: { kind: 'question', text: 'Which colour?', options: ['red', 'blue'] } }],
};
const SAID = 'What needs you is also shown on this desktop';

describe.skipIf(!hasDesktop)('a desktop', () => {
  let desktop: VirtualDesktop;
  let story: Story;
  beforeEach(async () => {
    desktop = await openVirtualDesktop();
    Object.assign(process.env, desktop.env, { OKA_CONTAINER: '0' });
    story = await openStory();
    story.write('workspace/graphs/paint.json', JSON.stringify(paint));
  });
  afterEach(async () => {
    await story[Symbol.asyncDispose]();
    await desktop[Symbol.asyncDispose]();
    for (const name of [...Object.keys(desktop.env), 'OKA_CONTAINER']) delete process.env[name];
  });
  const up = (): ReturnType<typeof openPseudoTerminal> =>
    openPseudoTerminal(['up', '--alone', '--no-setup', '--dir', story.home.dir], { columns: 160, rows: 30 });
  const ask = (id: string): void =>
    void submit(join(story.home.oka, 'intake'), { kind: 'run_graph', id, graph: 'paint', input: {} });

  it('shows a question where oka was started, says so once, and replaces it when it is answered', async () => {
    {
      await using terminal = up();
      await terminal.shows(SAID);
      ask('paint-1');
      const sent = await story.until('a notification', async () =>
        (await story.eventsOf('delivery.ended')).find(({ data }) => data.status === 'sent'),
      );
      expect(sent.data).toMatchObject({ channel: 'desktop', ref: expect.stringMatching(/^\d+$/) as string });
      const listed = await story.oka('channels', 'list');
      expect(listed.out).toContain('desktop to this desktop, as long as there is no channel in channels.json');
      expect((await story.oka('channels', 'test', 'desktop')).code).toBe(0);
      const [wait] = await story.eventsOf('wait.opened');
      expect((await story.oka('answer', wait?.data.wait ?? '', 'blue')).code).toBe(0);
      await story.until('the close', async () => (await story.eventsOf('delivery.ended'))[2]);
      const shown = desktop.shown().filter(({ summary }) => summary.includes('paint'));
      expect(shown).toHaveLength(1);
      expect(shown[0]).toMatchObject({
        id: Number(sent.data.ref),
        body: expect.stringContaining('Answered at') as string,
      });
    }
    expect((await story.oka('channels', 'list')).out).toContain('There are no channels');
    await using again = up();
    await again.shows('oka watches');
    ask('paint-2');
    await story.until('the second', async () => (await story.eventsOf('delivery.ended'))[3]);
    expect(again.screen().lines.join('\n')).not.toContain(SAID);
  });

  it.each([
    ['a setting', { file: { desktop: false } }],
    ['another channel', { file: { channels: { mine: { kind: 'command', command: ['true'] } } } }],
    ['a container', { env: { OKA_CONTAINER: '1' } }],
    ['a session over SSH', { env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } }],
  ])('stays off with %s', async (_what, { file, env }: { file?: object; env?: Record<string, string> }) => {
    Object.assign(process.env, env);
    if (file !== undefined) writeFileSync(join(story.home.oka, 'rules', 'channels.json'), JSON.stringify(file));
    try {
      await using terminal = up();
      await terminal.shows('oka watches');
      ask('paint-1');
      await story.until('the question', async () => (await story.eventsOf('wait.opened'))[0]);
      story.drop('next.md', '# Next\n\n```bash\necho next\n```\n');
      await story.until('a later result', async () =>
        (await story.eventsOf('run.ended')).find(({ data }) => data.status === 'done'),
      );
      expect(terminal.screen().lines.join('\n')).not.toContain(SAID);
      expect(desktop.shown()).toEqual([]);
      expect((await story.oka('channels', 'list')).out).not.toContain('this desktop');
    } finally {
      delete process.env['SSH_CONNECTION'];
    }
  });
});
