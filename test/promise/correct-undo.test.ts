import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inParts, plan, refusing, type Step } from '../support/story-model.ts';
import { openStory } from '../support/story.ts';

describe('a person is not content', () => {
  it('oka correct opens a linked run, and the correction is counted', async () => {
    await using story = await openStory();
    story.drop('report.md', '---\nid: report\n---\n```bash\necho 10 EUR > total.txt\n```\n');
    story.work();
    await story.ended('report');
    expect((await story.oka('correct', 'report', '```bash\necho 10 USD > total.txt\n```')).code).toBe(0);
    const corrected = await story.until(
      'the correction',
      async () => (await story.eventsOf('run.corrected', 'report'))[0],
    );
    const { by, text } = corrected.data;
    const { status, page } = await story.ended(by);
    expect(status).toBe('done');
    expect(text).toContain('10 USD');
    expect(page).toContain('This run corrects `report`');
    expect(story.deskText('total.txt')).toBe('10 USD\n');
    expect((await story.oka('correct', 'nobody', 'x')).code).toBe(2);
    expect(await story.eventsOf('run.corrected')).toHaveLength(1);
  });

  it('oka correct in words says that it needs a model before anything is done', async () => {
    await using story = await openStory();
    story.drop('report.md', '---\nid: report\n---\n```bash\necho 10 EUR > total.txt\n```\n');
    story.work();
    await story.ended('report');
    expect(await story.oka('correct', 'report', 'the totals are in the wrong currency')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/needs a model[^]*oka model setup[^]*oka correct report '```bash/),
    });
    expect(readdirSync(join(story.home.workspace, 'inbox')).filter((name) => name.endsWith('.md'))).toEqual([]);
    expect(await story.eventsOf('run.corrected')).toEqual([]);
  });

  it('a correction in words is planned with the task, what came of it and the folder of the run', async () => {
    const write: Step = {
      id: 'total',
      tool: 'files.write',
      input: { path: 'books/total.txt', content: '10 USD\n' },
      targets: ['books/total.txt'],
    };
    await using story = await openStory({
      model: inParts({ planner: () => plan([write], ['file: books/total.txt']), critic: refusing }),
    });
    story.write('workspace/desk/books/.keep', '');
    story.drop('report.md', '---\nid: report\ndir: books\n---\n```bash\necho 10 EUR > total.txt; echo written\n```\n');
    story.work();
    await story.ended('report');
    expect((await story.oka('correct', 'report', 'the currency is USD')).code).toBe(0);
    const { by } = (
      await story.until('the correction', async () => (await story.eventsOf('run.corrected', 'report'))[0])
    ).data;
    await story.ended(by);
    expect(story.deskText('books/total.txt')).toBe('10 USD\n');
    const asked = story.model.requests[0]?.text ?? '';
    expect(asked).toContain('books');
    expect(asked).toMatch(
      /the currency is USD[^]*Plan its task again[^]*echo 10 EUR > total.txt[^]*its result[^]*Done/,
    );
  });

  it('oka undo takes back what a run edited, deleted, moved and created; what people wrote since stays', async () => {
    await using story = await openStory();
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    const before = `${lines.join('\n')}\n`;
    for (const name of ['edited.txt', 'clash.txt', 'deleted.txt', 'moved.txt', 'alone.txt'])
      writeFileSync(story.desk(name), before);
    story.drop(
      'change.md',
      `---
id: change
---
\`\`\`bash
sed -i 's/^line 5$/the run was here/' edited.txt
sed -i 's/^line 20$/the run was here/' clash.txt
rm deleted.txt
mv moved.txt elsewhere.txt
mkdir made && echo new > made/created.txt
echo both > mixed.txt
\`\`\`
`,
    );
    story.work();
    expect((await story.ended('change')).page).toContain('oka undo change');
    await story.rest();
    writeFileSync(
      story.desk('edited.txt'),
      readFileSync(story.desk('edited.txt'), 'utf8').replace('line 35\n', 'line 35\na person was here\n'),
    );
    writeFileSync(
      story.desk('clash.txt'),
      readFileSync(story.desk('clash.txt'), 'utf8').replace('the run was here', 'the run was here, and a person'),
    );
    writeFileSync(story.desk('alone.txt'), 'rewritten by a person\n');
    appendFileSync(story.desk('mixed.txt'), 'a person added this\n');
    const dry = await story.oka('undo', 'change', '--dry-run');
    expect(dry.out).toContain('would be restored');
    expect(story.deskText('deleted.txt')).toBeNull();
    const undone = await story.oka('undo', 'change');
    expect(undone.code).toBe(1);
    expect(undone.out).toMatch(/left +clash\.txt/);
    expect(story.deskText('edited.txt')).toBe(before.replace('line 35\n', 'line 35\na person was here\n'));
    expect(story.deskText('clash.txt')).toContain('the run was here, and a person');
    expect(story.deskText('deleted.txt')).toBe(before);
    expect(story.deskText('moved.txt')).toBe(before);
    expect(story.deskText('elsewhere.txt')).toBeNull();
    expect(story.deskText('made/created.txt')).toBeNull();
    expect(story.deskText('alone.txt')).toBe('rewritten by a person\n');
    expect(story.deskText('mixed.txt')).toContain('a person added this');
    expect(await story.eventsOf('run.undone', 'change')).toHaveLength(1);
    expect((await story.oka('undo', 'change')).code).not.toBe(2);
    expect(story.deskText('deleted.txt')).toBe(before);
  });

  it('oka undo works while a worker runs, too: it says what it would do, what it did, and why it did nothing', async () => {
    await using story = await openStory();
    writeFileSync(story.desk('old.txt'), 'before\n');
    story.drop('make.md', '---\nid: make\n---\n```bash\necho x > x.txt; echo after > old.txt\n```\n');
    story.drop('look.md', '---\nid: look\n---\n```bash\nls\n```\n');
    story.work();
    await story.ended('make');
    await story.ended('look');
    expect(await story.oka('undo', 'make', '--dry-run')).toEqual({
      code: 0,
      out: '1 would be restored, 1 removed\n  restored  old.txt\n  removed   x.txt\n',
      err: '',
    });
    expect(story.deskText('x.txt')).toBe('x\n');
    expect(await story.eventsOf('run.undone')).toEqual([]);
    expect(await story.oka('undo', 'mak')).toEqual({
      code: 0,
      out: '1 was restored, 1 removed\n  restored  old.txt\n  removed   x.txt\n',
      err: '',
    });
    expect(await story.eventsOf('run.undone', 'make')).toHaveLength(1);
    expect(story.deskText('x.txt')).toBeNull();
    expect(story.deskText('old.txt')).toBe('before\n');
    writeFileSync(story.desk('x.txt'), 'x\n'); // somebody else makes the same file
    expect(await story.oka('undo', 'make')).toMatchObject({ code: 3, err: expect.stringContaining('undone already') });
    expect(story.deskText('x.txt')).toBe('x\n');
    expect(await story.oka('undo', 'look')).toMatchObject({ code: 3, err: expect.stringContaining('changed nothing') });
    const refused = await story.until('the refusal', async () => (await story.eventsOf('intake.rejected'))[1]);
    expect(refused.data.reason).toContain('changed nothing');
    expect(await story.oka('cancel', 'make')).toMatchObject({ code: 3, err: expect.stringContaining('done already') });
    expect(readdirSync(join(story.home.oka, 'state/replies'))).toEqual([]);
  });

  it('a preview of an undo waits for the command on the desk, and shows what it has left', async () => {
    await using story = await openStory();
    story.drop('slow.md', '---\nid: slow\n---\n```bash\necho 1 > one.txt; sleep 2; echo 2 > two.txt\n```\n');
    story.work();
    await story.until('the command', async () => (story.deskText('one.txt') === null ? undefined : true));
    expect((await story.oka('undo', 'slow', '--dry-run')).out).toContain('removed   two.txt');
    expect(story.deskText('two.txt')).toBe('2\n');
  });
});
