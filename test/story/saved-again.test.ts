import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';

const fence = (command: string): string => `\`\`\`bash\n${command}\n\`\`\`\n\n`;
const STEP_1 = fence('echo one >> log.txt');
const STEP_2 = fence('echo two >> log.txt');

const started = (story: Story, tool: string): Promise<true> =>
  story.until('a call', async () => {
    const calls = await story.eventsOf('call.started');
    return calls.some(({ data }) => JSON.stringify(data.input).includes(tool)) ? true : undefined;
  });

describe('a task that is saved again right after it was taken', () => {
  it('is done once, as it was saved last, when it had not changed anything yet', async () => {
    await using story = await openStory();
    story.work();
    const half = '# Pay\n\nPay the rent:\n\n';
    story.drop('pay.md', half); // without its steps it is prose, and waits for a model
    await story.until('the wait', async () => ((await story.waiting()).length > 0 ? true : undefined));
    story.drop('pay.md', `${half}${STEP_1}${STEP_2}`);
    await story.until('both ends', async () =>
      (await story.eventsOf('run.ended')).filter(({ run }) => /^pay-[0-9a-f]{8}$/.test(run ?? '')).length === 2
        ? true
        : undefined,
    );
    await story.rest();
    const ends = (await story.eventsOf('run.ended')).filter(({ run }) => /^pay-[0-9a-f]{8}$/.test(run ?? ''));
    expect(ends.map(({ data }) => data.status)).toEqual(['cancelled', 'done']);
    expect(story.deskText('log.txt')).toBe('one\ntwo\n');
    expect(story.page(ends[0]?.run ?? '')).toContain('its file was changed after it was taken');
    expect((await story.eventsOf('task.received'))[1]?.data.notes?.[0]).toContain(`it replaces ${ends[0]?.run}`);
  });

  it('is set aside, and nothing is done twice, when it had', async () => {
    await using story = await openStory();
    story.work();
    story.drop('pay.md', `# Pay\n\n${STEP_1}${fence('until [ -e go ]; do sleep 0.05; done')}`);
    await started(story, 'until [ -e go ]');
    story.drop('pay.md', `# Pay\n\n${STEP_1}${STEP_2}`);
    const [rejected] = await story.until('the rejection', async () => {
      const all = await story.eventsOf('task.rejected');
      return all.length > 0 ? all : undefined;
    });
    story.write('workspace/desk/go', '');
    await story.until('its end', async () => ((await story.eventsOf('run.ended')).length > 0 ? true : undefined));
    await sleep(200);
    await story.rest();
    expect(rejected?.data).toMatchObject({ name: 'pay.md', reason: expect.stringContaining('nothing is done twice') });
    expect(story.deskText('log.txt')).toBe('one\n');
  });

  it('is done once, as it was saved last, also when the worker was restarted in between', async () => {
    await using story = await openStory();
    story.work();
    const half = '# Pay\n\nPay the rent:\n\n';
    story.drop('pay.md', half);
    await story.until('the wait', async () => ((await story.waiting()).length > 0 ? true : undefined));
    await story.rest();
    story.drop('pay.md', `${half}${STEP_1}${STEP_2}`);
    story.work();
    const ends = await story.until('both ends', async () => {
      const all = (await story.eventsOf('run.ended')).filter(({ run }) => /^pay-[0-9a-f]{8}$/.test(run ?? ''));
      return all.length === 2 ? all : undefined;
    });
    await story.rest();
    expect(ends.map(({ data }) => data.status)).toEqual(['cancelled', 'done']);
    expect(story.deskText('log.txt')).toBe('one\ntwo\n');
    expect((await story.eventsOf('task.received'))[1]?.data.notes?.[0]).toContain(`it replaces ${ends[0]?.run}`);
  });

  it('is set aside when a worker before this one had already changed something for it', async () => {
    await using story = await openStory();
    story.work();
    story.drop('pay.md', `# Pay\n\n${STEP_1}`);
    await story.until('its end', async () => (await story.eventsOf('run.ended')).at(0));
    await story.rest();
    story.drop('pay.md', `# Pay\n\n${STEP_1}${STEP_2}`);
    story.work();
    const rejected = await story.until('the rejection', async () => (await story.eventsOf('task.rejected')).at(0));
    await story.rest();
    expect(rejected.data.reason).toContain('nothing is done twice');
    expect(story.deskText('log.txt')).toBe('one\n');
  });
});
