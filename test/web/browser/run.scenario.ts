import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const TASK = `---
id: sums
accept:
  - "file: out/sum.txt"
---
# Add up the numbers

\`\`\`bash
mkdir -p out && printf 'name,count\\napples,2\\n"pears, red",3\\n' > out/numbers.csv
\`\`\`

\`\`\`bash
echo 5 > out/sum.txt; echo '<h1>Sum</h1><script>parent.document.title = "taken"</script>' > page.html
\`\`\`
`;

describe.skipIf(browserProgram === null)('the page of a run', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard({});
    dashboard.story.write('workspace/desk/page.html', 'older\n');
    dashboard.story.drop('sums.md', TASK);
    await dashboard.story.ended('sums');
  });
  afterAll(() => dashboard.close());

  it('shows the result, the steps, the calls and the differences, and undoes it after showing what that does', async () => {
    const page = await dashboard.open('runs/sums');
    await page.getByRole('cell', { name: 'pears, red' }).waitFor();
    await page.locator('.diagram .node.done').nth(1).waitFor();
    await page.locator('.diagram').scrollIntoViewIfNeeded();
    await screenshot(page, 'run-steps');
    await page.locator('.calls details').nth(1).waitFor();
    await page.locator('#files > summary').click();
    await page.locator('#files summary', { hasText: 'page.html' }).click();
    await page.locator('.diff .removed', { hasText: '-older' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('dialog').getByText('out/sum.txt').waitFor();
    expect(dashboard.story.deskText('out/sum.txt')).toBe('5\n');
    await page.getByRole('button', { name: 'Undo it' }).click();
    await page.locator('.tag', { hasText: 'undone' }).waitFor();
    expect(dashboard.story.deskText('out/sum.txt')).toBe(null);
    expect(dashboard.story.deskText('page.html')).toBe('older\n');
  });

  it('shows a page that the task made in a frame in which its script does not run', async () => {
    const page = await dashboard.open('runs/sums');
    await page.locator('#result summary', { hasText: 'page.html' }).waitFor();
    const frame = page.frameLocator('iframe[title="files/page.html"]');
    await frame.getByRole('heading', { name: 'Sum' }).waitFor();
    expect(await page.title()).toBe('Add up the numbers · oka');
  });

  it('a step and an event have addresses of their own', async () => {
    const page = await dashboard.open('runs/sums');
    await page.locator('.steps a').first().click();
    await page.waitForURL(/\/runs\/sums\/steps\//);
    await page.getByText('Only of step').waitFor();
    const [started] = await dashboard.story.eventsOf('run.started', 'sums');
    const other = await dashboard.open(`runs/sums/events/${started?.seq}`);
    await other.locator('#events details.chosen', { hasText: 'run.started' }).waitFor();
  });

  it('shows what a command writes while it runs, passes a note on, and stops after the step', async () => {
    const before = dashboard.errors(); // a script in a frame of the pages above, which the browser refuses to run
    expect(before.filter((each) => !each.includes('Blocked script execution'))).toEqual([]);
    const steps = ['until [ -e go.txt ]; do echo still waiting; sleep 0.3; done', 'echo two > two.txt'];
    const blocks = steps.map((line) => `\`\`\`bash\n${line}\n\`\`\`\n`).join('\n');
    dashboard.story.drop('slow.md', `---\nid: slow\n---\n# Two steps\n\n${blocks}`);
    await dashboard.story.until('its first call', async () =>
      (await dashboard.story.eventsOf('call.started')).find(({ data }) => data.call.startsWith('slow.execute')),
    );
    const page = await dashboard.open('runs/slow');
    await page.locator('.live pre', { hasText: 'still waiting' }).waitFor();
    await page.getByRole('button', { name: 'Send a note' }).click();
    await page.getByRole('textbox', { name: 'A note to the worker' }).fill('<b>mind</b> the glasses');
    await page.getByLabel('Stop after this step').check();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.getByText('<b>mind</b> the glasses').first().waitFor();
    dashboard.story.write('workspace/desk/go.txt', 'go\n');
    await page.locator('.run-head .status.paused').waitFor();
    expect(dashboard.story.deskText('two.txt')).toBe(null);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.run-head .status.done').waitFor();
    expect(dashboard.story.deskText('two.txt')).toBe('two\n');
    expect(dashboard.errors()).toEqual([]);
  });

  it('shows a drawing that the result names as a picture, and its words where it is not there', async () => {
    const drawing = '<svg viewBox="0 0 9 9" width="90" height="90"><rect width="9" height="9" fill="#47a"/></svg>';
    const page = '# Sales\\n\\n![the chart](chart.svg)\\n\\n![none](other.svg)\\n';
    const lines = [`printf '%s' '${drawing}' > chart.svg`, `printf '${page}' > summary.md`];
    const blocks = lines.map((line) => `\`\`\`bash\n${line}\n\`\`\`\n`).join('\n');
    dashboard.story.drop('drawn.md', `---\nid: drawn\n---\n# Draw the sales\n\n${blocks}`);
    await dashboard.story.ended('drawn');
    const shown = await dashboard.open('runs/drawn');
    const width = (): Promise<unknown> => shown.evaluate(`document.querySelector('.markdown img')?.naturalWidth`);
    await expect.poll(width).toBe(90);
    await shown.locator('.markdown', { hasText: 'none' }).first().waitFor();
    expect(await shown.locator('.markdown img').count()).toBe(1);
    await screenshot(shown, 'run-picture');
    expect(dashboard.errors()).toEqual([]);
  });

  it('asks here, too: an approval is given on the page of its run', async () => {
    dashboard.story.drop(
      'push.md',
      '---\nid: push\n---\n# Publish the notes\n\n```bash\ngit push https://127.0.0.1:9/notes.git main\n```\n',
    );
    const page = await dashboard.open('runs', { hasTouch: true });
    await dashboard.story.until('its question', async () => (await dashboard.story.eventsOf('wait.opened'))[0]);
    await page.goto(`${dashboard.address}runs/push`);
    await page.getByText('may change something outside this computer').waitFor();
    // A finger that goes left or right over the card opens the decision, and answers nothing by itself.
    const card = await page.locator('.attention').boundingBox();
    const session = await page.context().newCDPSession(page);
    const touch = (type: string, x?: number) =>
      session.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: x === undefined ? [] : [{ x, y: (card?.y ?? 0) + 20 }],
      });
    const swipe = async (from: number, to: number): Promise<void> => {
      await touch('touchStart', from);
      await touch('touchMove', to);
      await touch('touchEnd');
    };
    await swipe(300, 330);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await swipe(300, 500);
    await page.getByRole('dialog', { name: 'Approve this?' }).waitFor();
    await page.keyboard.press('Escape');
    await swipe(500, 300);
    await page.getByRole('dialog', { name: 'Deny this?' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deny', exact: true }).click();
    await page.locator('.run-head .status.failed, .run-head .status.cancelled, .run-head .status.blocked').waitFor();
    await page.locator('.attention').waitFor({ state: 'detached' });
    expect(dashboard.errors()).toEqual([]);
  });
});
