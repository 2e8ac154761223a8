/** axe over every page, in light and dark, on the desk and on the phone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/app/web/pages.ts';
import { axeFindings, looks } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const TASK = '---\nid: shown\n---\n# Make a table\n\n```bash\nprintf "month,sum\\n01,10\\n02,20\\n" > sums.csv\n```\n';
const ASKING = '---\nid: asking\n---\n# Ask first\n\n```bash\ncurl -X POST https://example.org/\n```\n';

const shown = pages.filter(({ path }) => !path.includes(':')).map(({ path }) => path);
const paths = [...shown, '/runs/shown', '/compare?a=shown&b=asking', '/runs/not-there', '/no-such-page'];

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
      const found = await axeFindings(page);
      await screenshot(page, `${path.replaceAll(/\W+/g, '-')}-${name}`);
      const width = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      await page.context().close();
      expect(found).toEqual([]);
      expect(width).toBeLessThanOrEqual(look.viewport.width);
      // A page asks for its data by itself, so the console names an answer that says that there is none.
      const isAbsent = ['/no-such-page', '/runs/not-there', '/compare'].includes(path);
      expect(dashboard.errors().filter((each) => !isAbsent || !/status of 40[04]/.test(each))).toEqual([]);
    });
  });
});
