import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';

const PROSE = `---
id: prose
accept: ['file: a.txt']
---
Please make a.txt.
`;

const RUNBOOK = `---
id: vouched
accept:
  - 'The poem is beautiful.'
---
\`\`\`bash
echo roses > poem.txt
\`\`\`
`;

describe('without a model', () => {
  it('prose is parked and says what to set; other tasks go on; it is picked up when a model appears', async () => {
    await using story = await openStory({
      unnamed: true,
      model: inParts({
        planner: () =>
          plan(
            [{ id: 'make', tool: 'files.write', input: { path: 'a.txt', content: 'a' }, targets: ['a.txt'] }],
            ['file: a.txt'],
          ),
      }),
    });
    story.drop('prose.md', PROSE);
    story.work();
    await story.asked('requirement');
    const page = await story.until('a result', async () => story.page('prose') ?? undefined);
    expect(page).toContain('⏸️ Blocked');
    expect(page).toContain('set OKA_MODEL');
    expect(page).not.toContain('oka answer');
    story.drop('other.md', '---\nid: other\n---\n```bash\ntrue\n```\n');
    expect((await story.ended('other')).status).toBe('done');
    await story.rest();
    const { url } = story.model;
    story.work({ OKA_MODEL: 'custom:story', OKA_MODEL_URL: `${url}/v1` });
    expect((await story.ended('prose')).status).toBe('done');
    expect(story.deskText('a.txt')).toBe('a');
  });

  it('a criterion in prose is put to a person, whose word is enough', async () => {
    await using story = await openStory();
    story.drop('vouched.md', RUNBOOK);
    story.work();
    const { wait } = await story.asked('approval');
    expect(await story.until('a result', async () => story.page('vouched') ?? undefined)).toContain(
      'oka approve vouched',
    );
    await story.oka('approve', wait);
    const { status, page } = await story.ended('vouched');
    expect(status).toBe('done');
    expect(page).toContain('Confirmed by a person');
    expect(await story.waiting()).toEqual([]);
  });

  it('a criterion in prose that a person does not see is not done', async () => {
    await using story = await openStory();
    story.drop('vouched.md', RUNBOOK);
    story.work();
    const { wait } = await story.asked('approval');
    await story.oka('deny', wait, 'it does not even rhyme');
    const { status, reason } = await story.ended('vouched');
    expect(status).toBe('failed');
    expect(reason).toContain('it does not even rhyme');
  });

  it('nobody is asked to vouch for steps that failed', async () => {
    await using story = await openStory();
    story.drop('vouched.md', RUNBOOK.replace('echo roses', 'false && echo roses'));
    story.work();
    const { status, reason } = await story.ended('vouched');
    expect(status).toBe('failed');
    expect(reason).toContain('exit 1');
    expect(await story.waiting()).toEqual([]);
  });
});
