import { setTimeout } from 'node:timers/promises';
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

  it('nor where the file was there before; one that is written again as it was is done', async () => {
    await using story = await openStory();
    story.write('workspace/desk/fixed.py', 'pass\n');
    const text = (id: string, code: string): string =>
      `---\nid: ${id}\n---\n# Repair it\n\nSave it as \`fixed.py\`.\n\n\`\`\`bash\n${code}\n\`\`\`\n`;
    story.drop('idle.md', text('idle', 'true'));
    await setTimeout(2000); // the file is older than the run by more than a clock may differ
    story.work();
    const { status, page } = await story.ended('idle');
    expect(status).toBe('failed');
    expect(page).toContain('fixed.py, which the text asks for, was there before, and no step has written it');
    story.drop('again.md', text('again', 'echo pass > fixed.py'));
    expect(await story.ended('again')).toMatchObject({ status: 'done' });
  });
});

const BACKUP = (fields = ''): string => `---
id: backup
${fields}---
## First
\`\`\`bash
echo a > a.txt
\`\`\`
## Backup
\`\`\`bash
./backup.sh
\`\`\`
## Last
\`\`\`bash
echo c > c.txt
\`\`\`
`;

describe('a runbook of which a step failed, with a model', () => {
  const repairing = inParts({
    planner: () =>
      plan([{ id: 'instead', tool: 'shell', input: { line: 'echo x > x.txt' }, targets: ['x.txt'] }], ['file: x.txt']),
  });

  it('is not done, and nothing else is planned: its failure and what it wrote come first', async () => {
    await using story = await openStory({ model: repairing });
    story.drop('backup.md', BACKUP());
    story.work();
    const { status, page } = await story.ended('backup');
    expect(status).toBe('failed');
    expect(page).toMatch(/^# .*\n\n\*\*❌ Not done\.\*\*.*\n\n> Step 2 \(Backup\) failed: exit 127/);
    expect(page).toMatch(/3\. ⤼ Last \(not run\)/);
    expect(story.deskText('x.txt')).toBeNull();
    expect(story.model.requests).toHaveLength(0);
  });

  it('is repaired where its author allows that, and the page and the verdict name both', async () => {
    await using story = await openStory({ model: repairing });
    story.drop('backup.md', BACKUP('repair: true\n'));
    story.work();
    const { status, page } = await story.ended('backup');
    expect(status).toBe('done');
    expect(page).toMatch(/met by what a model planned; .*not run: Backup, Last \(backup: .*exit 127/);
    expect(page).toMatch(
      /2\. ❌ Backup[^]*3\. ⤼ Last \(not run\)[^]*4\. ✅ instead \(not as written: planned by a model/,
    );
    expect((await story.eventsOf('run.judged')).at(-1)?.data.reason).toContain('Backup, Last');
  });

  it('leads with its own failure where the repair fails, too', async () => {
    await using story = await openStory({
      model: inParts({
        planner: () =>
          plan([{ id: 'instead', tool: 'shell', input: { line: 'exit 9' }, targets: ['x.txt'] }], ['file: x.txt']),
      }),
    });
    story.drop('backup.md', BACKUP('repair: true\nbudget: { replans: 1 }\n'));
    story.work();
    const { status, page } = await story.ended('backup');
    expect(status).toBe('failed');
    expect(page).toMatch(/\n\n> Step 2 \(Backup\) failed: exit 127[^]*> .*backup\.sh: No such file/);
  });
});
