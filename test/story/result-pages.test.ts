/**
 * RESULT.md as people find it, in every state of a task. The pages are in test/fixture/screens; `vitest -u` writes them
 * again, and whoever does that reads them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, speakerOf } from '../../src/kit/text/languages.ts';
import { pageText } from '../support/screen.ts';
import { openStory, type Story } from '../support/story.ts';

const DONE = `---
id: plot
accept:
  - rows: totals.csv >= 1
---
# Totals by month

\`\`\`bash
printf 'month,total\\n2026-01,12\\n' > totals.csv
echo "It's *done* [x], see <totals.csv> or mail user@example.com"
\`\`\`

## Draw them

\`\`\`bash
printf '<svg xmlns="http://www.w3.org/2000/svg"/>' > "my plot.svg"
seq 1 3000
\`\`\`
`;
const FAILS =
  '---\nid: logs\n---\n# Collect the logs\n\n```bash\ntouch begun\n```\n\n## Read *all* of them\n\n```bash\nls "/nowhere/[x]"\n```\n';
const ASKS =
  '---\nid: report\n---\n# Report to the server\n\n```bash\ncurl -X POST https://example.com/api -d x=1\n```\n';

describe('the page about a task', () => {
  it('names its pictures and all of its output, and is right after an undo', async () => {
    await using story = await openStory();
    story.work();
    story.drop('plot.md', DONE);
    const { page } = await story.ended('plot');
    await expectPage(page, 'done');
    expectLinksOpen(story, 'plot', page);
    const all = readFileSync(join(story.home.workspace, 'outbox/plot/outputs/2-draw-them.txt'), 'utf8');
    expect(all.trim().split('\n')).toHaveLength(3000);
    expect((await story.oka('undo', 'plot')).code).toBe(0);
    const undone = await pageWith(story, 'plot', 'were undone');
    await expectPage(undone, 'undone');
    expectLinksOpen(story, 'plot', undone);
  });

  it('says of a step that failed what it wrote, once', async () => {
    await using story = await openStory();
    story.work();
    story.drop('logs.md', FAILS);
    const { page } = await story.ended('logs');
    await expectPage(page, 'failed');
    expect(page.match(/No such file/g)).toHaveLength(1);
    expectLinksOpen(story, 'logs', page);
  });

  it('asks for an approval, and is right after a pause, when it is resumed, and when it is cancelled', async () => {
    await using story = await openStory();
    story.work();
    story.drop('report.md', ASKS);
    await story.asked('approval');
    await expectPage(await pageWith(story, 'report', '## Open questions'), 'approval');
    expect((await story.oka('pause', 'report')).code).toBe(0);
    await expectPage(await pageWith(story, 'report', 'Paused'), 'paused');
    expect((await story.oka('resume', 'report')).code).toBe(4); // it waits for its approval again
    expect(await pageWith(story, 'report', '⏸️ Blocked')).toContain('`oka approve report`');
    expect((await story.oka('cancel', 'report')).code).toBe(0);
    await expectPage(await pageWith(story, 'report', 'Cancelled'), 'cancelled');
  });
});

describe('the page about a task in another language', () => {
  it.each(LANGUAGES)('%s: everything that oka says itself', async (language) => {
    await using story = await openStory({ config: { language } });
    story.work();
    story.drop('plot.md', DONE);
    const { page } = await story.ended('plot');
    await expectPage(page, `done-${language}`);
    expectLinksOpen(story, 'plot', page);
    expect((await story.oka('undo', 'plot')).code).toBe(0);
    const { say } = await speakerOf(language);
    await pageWith(story, 'plot', say('These changes were undone.'));
  });
});

const expectPage = (page: string, name: string): Promise<void> =>
  expect(pageText(page)).toMatchFileSnapshot(`../fixture/screens/result-${name}.md`);

const pageWith = (story: Story, run: string, part: string): Promise<string> =>
  story.until(`a page with "${part}"`, async () => {
    const page = story.page(run);
    return page?.includes(part) === true ? page : undefined;
  });

/** Every link and picture leads to a file that is there. */
function expectLinksOpen(story: Story, run: string, page: string): void {
  const folder = dirname(join(story.home.workspace, 'outbox', run, 'RESULT.md'));
  const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => decodeURIComponent(target));
  expect(targets.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
}
