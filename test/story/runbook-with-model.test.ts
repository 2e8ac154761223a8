import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { inParts, plan } from '../support/story-model.ts';

const VALIDATOR = `---
id: validator
---
Please fix the e-mail validator in \`v.py\`, which refuses plus signs. Keep the signature:

\`\`\`python
open('ran.txt', 'w').write('the example')
\`\`\`
`;

describe('a request that shows code', () => {
  it('is planned by a model, and what it shows is not run', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan(
            [{ id: 'fix', tool: 'files.write', input: { path: 'v.py', content: 'fixed' }, targets: ['v.py'] }],
            ['contains: v.py "fixed"'],
          ),
      }),
    });
    story.drop('validator.md', VALIDATOR);
    story.work();
    const { status, page } = await story.ended('validator');
    expect(status).toBe('done');
    expect(story.deskText('v.py')).toBe('fixed');
    expect(story.deskText('ran.txt')).toBeNull();
    expect(page).toMatch(/not run: line 4 asks for something.*steps: true/);
  });

  it('is refused without a model, with both possibilities, and runs where the person says that these are the steps', async () => {
    await using story = await openStory();
    story.drop('validator.md', VALIDATOR);
    story.work();
    const { status, page } = await story.ended('validator');
    expect(status).toBe('failed');
    expect(page).toMatch(/can be read in two ways, and nothing was done.*steps: true.*needs a language model/);
    expect(story.deskText('ran.txt')).toBeNull();
    story.drop('declared.md', VALIDATOR.replace('id: validator', 'id: declared\nsteps: true'));
    expect(await story.ended('declared')).toMatchObject({ status: 'done' });
    expect(story.deskText('ran.txt')).toBe('the example');
  });

  it('a runbook whose text asks for a file that no step made is not done', async () => {
    await using story = await openStory();
    story.drop('made.md', '---\nid: made\n---\n# Repair it\n\nSave it as `fixed.py`.\n\n```bash\ntrue\n```\n');
    story.work();
    const { status, page } = await story.ended('made');
    expect(status).toBe('failed');
    expect(page).toContain('❌ file: fixed.py is not empty');
  });
});
