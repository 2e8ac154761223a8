/** axe over every page, in light and dark, on the desk and on the phone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/web/pages.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] };

const TASK = '---\nid: shown\n---\n# Make a table\n\n```bash\nprintf "month,sum\\n01,10\\n02,20\\n" > sums.csv\n```\n';
const ASKING = '---\nid: asking\n---\n# Ask first\n\n```bash\ncurl -X POST https://example.org/\n```\n';

const shown = pages.filter(({ path }) => !path.includes(':')).map(({ path }) => path);
const paths = [...shown, '/runs/shown', '/compare?a=shown&b=asking', '/runs/not-there', '/no-such-page'];
const looks = [
  { name: 'light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
] as const;

describe.skipIf(browserProgram === null)('every page', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
    dashboard.story.drop('shown.md', TASK);
    dashboard.story.drop('asking.md', ASKING);
    await dashboard.story.ended('shown');
    await dashboard.story.asked('approval');
  });
  afterAll(() => dashboard.close());

  describe.each(looks)('$name', ({ name, ...look }) => {
    it.each(paths)('%s has nothing that axe objects to, no errors, and nothing that sticks out', async (path) => {
      const page = await dashboard.open(path, { ...look, bypassCSP: true, reducedMotion: 'reduce' });
      await expect.poll(() => page.getByText(/^(?:Reading|Examining)…$/).count()).toBe(0);
      await page.addScriptTag({ content: axe });
      const { violations } = (await page.evaluate('axe.run(document, {resultTypes: ["violations"]})')) as {
        violations: Violation[];
      };
      const found = violations.map(
        ({ id, help, nodes }) => `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      );
      await screenshot(page, `${path.replaceAll(/\W+/g, '-')}-${name}`);
      const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      await page.context().close();
      expect(found).toEqual([]);
      expect(width).toBeLessThanOrEqual(look.viewport.width);
      const isAbsent = path === '/no-such-page';
      expect(dashboard.errors().filter((each) => !isAbsent || !each.includes('404'))).toEqual([]);
    });
  });
});
