/** What is seen of limits that are reached: the budgets of wording, and the size of a segment. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { write } from '../replica.ts';
import type { Story } from '../story.ts';
import { say } from '../wire-server-reply.ts';
import { command, settingGroup } from './setting-group.ts';

const TASK = '---\nid: first\n---\n# Totals\n\n```sh\necho 3 > totals.csv\n```\n';
const CORRECTION =
  '---\nid: second\ncorrects: first\n---\n# Totals\n\nWrite the totals in euro.\n\n```sh\necho 4 > totals.csv\n```\n';

/** A lesson, and a budget in which there is nothing for asking a model about it. */
const wordingBudget = (unit: 'tokens' | 'usd') =>
  settingGroup<{ asked: number; told: string }>({
    name: `maintenance that may not spend ${unit}`,
    model: () => say('[]'),
    config: ({ model }): { [key: string]: Json } => ({
      memory: { vectors: false },
      models: {
        use: 'custom:story',
        settings: { 'custom:story': { base_url: `${model.url}/v1`, price: { in: 1000, out: 1000 } } },
      },
      maintenance: { wording: true, wording_budget: { tokens: 50_000, usd: 1_000_000, [unit]: 0 } },
    }),
    act: async (story: Story) => {
      for (const [name, text] of [
        ['first.md', TASK],
        ['second.md', CORRECTION],
      ] as const) {
        story.write(name, text);
        await command(story, 'run', join(story.home.dir, name));
      }
      const { text } = await command(story, 'maintain', '--once');
      return { asked: story.model.requests.length, told: text };
    },
    rows: {
      [`maintenance.wording_budget.${unit}`]: ({ asked, told }) => {
        expect(told).toContain('maintenance.wording_budget is used up');
        expect(asked).toBe(0);
      },
    },
  });

export const tokenBudgetSettings = wordingBudget('tokens');
export const moneyBudgetSettings = wordingBudget('usd');

const MEGABYTES = 3;
const large: NewEvent = { type: 'task.rejected', data: { name: 'a', kept: 'a', reason: 'tulips '.repeat(1400) } };

export const segmentSettings = settingGroup<string>({
  name: 'an archive',
  config: () => ({ ledger: { segment_mb: 1 } }),
  act: async (story) => {
    await write(
      story.home.ledgers.run,
      'run',
      Array.from({ length: MEGABYTES * 110 }, () => large),
    );
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    return (await command(story, 'ledger', 'archive', '--before', tomorrow)).text;
  },
  rows: { 'ledger.segment_mb': (told) => expect(told).toMatch(/into [34] segments/) },
});
