import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const preload = pathToFileURL(join(import.meta.dirname, '../support/set-clock.ts')).href;

/** The step itself sets the clock that its worker reads. */
const task = (id: string, ms: number): string =>
  `---\nid: ${id}\nbudget:\n  seconds: 60\n---\n\`\`\`bash\necho ${ms} > clock; sleep 0.2\n\`\`\`\n\n\`\`\`bash\necho after > after-${id}\n\`\`\`\n`;

it('a clock that is set back or forward while a step runs neither strands the task nor spends its budget', async () => {
  await using story = await openStory();
  const env = { OKA_TEST_CLOCK: story.desk('clock'), NODE_OPTIONS: `--import ${preload}` };
  story.start(['worker'], env);
  for (const [id, ms] of [
    ['back', -45_000],
    ['forward', 3_600_000],
    ['yesterday', -86_400_000],
  ] as const) {
    story.drop(`${id}.md`, task(id, ms));
    const { page } = await story.ended(id);
    expect(page).toContain('✅ Done');
    expect(story.deskText(`after-${id}`)).toBe('after\n');
  }
  const skipped = await story.eventsOf('run.time_skipped');
  expect(skipped.length).toBeGreaterThanOrEqual(3);
}, 90_000);
