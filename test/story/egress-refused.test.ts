import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';

const fetching = (id: string, info: string): string =>
  `---\nid: ${id}\n---\n\`\`\`bash net:api.example.org${info}\ncurl -s http://refused.example/ > page.txt\n\`\`\`\n`;

describe('a step whose request our own proxy refuses', () => {
  it('has failed although curl ended with 0, unless its fence accepts that', async () => {
    await using story = await openStory();
    story.drop('strict.md', fetching('strict', ''));
    story.drop('lenient.md', fetching('lenient', ' net_refused:ok'));
    story.work();
    const { status, page } = await story.ended('strict');
    expect(status).toBe('failed');
    expect(page).toContain('the egress proxy refused a request: refused.example:80');
    expect((await story.ended('lenient')).status).toBe('done');
    expect(story.deskText('page.txt')).toContain('refused.example is not among the hosts');
  });
});
