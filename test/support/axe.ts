/** What axe objects to on a page; it was opened with `bypassCSP`. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
type Violation = { id: string; help: string; nodes: { html: string; failureSummary: string }[] };

export async function axeFindings(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe });
  const { violations } = (await page.evaluate('axe.run(document, {resultTypes: ["violations"]})')) as {
    violations: Violation[];
  };
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

/** How a page is looked at: on the desk and on the phone. */
export const looks = [
  { name: 'light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
] as const;
