/** Pictures of the README: Now and a graph; newcomer.scenario.ts makes the others. OKA_PICTURE=docs writes them there. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const runbook = (title: string, command: string): string => `# ${title}\n\n\`\`\`bash\n${command}\n\`\`\`\n`;

describe.skipIf(browserProgram === null)('the picture', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  it('shows something that runs, something that waits and something that is done', async () => {
    const { story } = dashboard;
    story.drop('totals.md', runbook('Totals by month', 'printf "month,total\\n2026-10,812.40\\n" > totals.csv'));
    story.drop('photos.md', runbook('Sort the photos by year', 'mkdir -p 2025 2026'));
    await story.until('two results', async () => ((await story.eventsOf('run.ended')).length >= 2 ? true : undefined));
    story.drop('publish.md', runbook('Publish the newsletter', 'curl -X POST https://example.org/newsletter'));
    story.drop('backup.md', runbook('Back up the desk', 'sleep 60'));
    const page = await dashboard.open('', { viewport: { width: 1180, height: 720 } });
    await page.getByText('Publish the newsletter').first().waitFor();
    await page.getByText('Back up the desk').first().waitFor();
    await page
      .getByRole('button', { name: /approve/i })
      .first()
      .waitFor();
    const picture = await screenshot(page, 'dashboard');
    if (process.env['OKA_PICTURE'] === 'docs')
      copyFileSync(picture, join(import.meta.dirname, '../../../docs/dashboard.png'));
    expect(dashboard.errors()).toEqual([]);
  });

  it('shows a graph that is edited as a picture, with a step chosen', async () => {
    const { workspace } = dashboard.story.home;
    mkdirSync(join(workspace, 'graphs'), { recursive: true });
    const graph = join(import.meta.dirname, '../../../share/graphs/page-watch.json');
    copyFileSync(graph, join(workspace, 'graphs/page-watch.json'));
    const page = await dashboard.open('graphs/page-watch', { viewport: { width: 1280, height: 800 } });
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'The step fetch' }).click();
    await page.getByRole('textbox', { name: /^url/ }).waitFor();
    await page.getByText('It can run.').waitFor();
    const picture = await screenshot(page, 'graph-edited');
    if (process.env['OKA_PICTURE'] === 'docs')
      copyFileSync(picture, join(import.meta.dirname, '../../../docs/graph.png'));
    expect(dashboard.errors()).toEqual([]);
  });
});
