import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const until = 'touch begun\nuntil [ -e go ]; do sleep 0.05; done';
const runbook = (title: string, line: string): string =>
  `---\ndir: photos\n---\n# ${title}\n\n\`\`\`bash\n${line}\n\`\`\`\n`;

describe.skipIf(browserProgram === null)('a task that waits for the desk', () => {
  let dashboard: Dashboard;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard();
    dashboard.story.write('workspace/desk/photos/one.jpg', 'x');
    page = await dashboard.open();
  });
  afterAll(() => dashboard.close());

  it('says so on Now with for whom and since when, and RESULT.md how long it was', async () => {
    const { story } = dashboard;
    story.drop('back-up.md', runbook('Back up photos', until));
    await story.until('the long command', async () => existsSync(story.desk('photos/begun')) || undefined);
    story.drop('rename.md', runbook('Rename photos', 'mv one.jpg two.jpg'));
    const card = page.locator('article', { hasText: 'Rename photos' });
    await card.getByText(/waits for the desk: Back up photos \(for/).waitFor();
    await card.getByText('waiting', { exact: true }).waitFor();
    await screenshot(page, 'now-waits-for-desk');
    await page.waitForTimeout(1100); // shorter waits count as work
    story.write('workspace/desk/photos/go', '');
    const done = page.getByRole('region', { name: /Finished/ }).locator('article', { hasText: 'Rename photos' });
    await done.getByText('done').first().waitFor();
    const [run = ''] = (await story.eventsOf('run.started')).flatMap(({ run: id, data }) =>
      data.title === 'Rename photos' ? (id ?? []) : [],
    );
    expect((await story.ended(run)).page).toMatch(/of work, [\d.]+ s of waiting for the desk/);
    expect(dashboard.errors()).toEqual([]);
  });
});
