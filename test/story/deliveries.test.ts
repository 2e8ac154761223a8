import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStory, type Story } from '../support/story.ts';

const task = (id: string, line: string): string => `---\nid: ${id}\n---\n\`\`\`bash\n${line}\n\`\`\`\n`;

function copyIn(story: Story, run: string, path: string): string | null {
  const file = join(story.home.workspace, 'outbox', run, 'files', path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

describe('what a task delivers', () => {
  it('is next to its result, also when the next task has replaced it on the desk', async () => {
    await using story = await openStory();
    story.work();
    story.drop(
      'one.md',
      task('one', 'mkdir -p out; echo first > out/summary.md; echo "run me" > .envrc; touch empty.txt'),
    );
    const { page } = await story.ended('one');
    expect(page).toContain('[files](files)');
    story.drop('two.md', task('two', 'echo second > out/summary.md'));
    await story.ended('two');
    expect(story.deskText('out/summary.md')).toBe('second\n');
    expect([copyIn(story, 'one', 'out/summary.md'), copyIn(story, 'two', 'out/summary.md')]).toEqual([
      'first\n',
      'second\n',
    ]);
    expect([copyIn(story, 'one', 'empty.txt'), copyIn(story, 'one', '.envrc')]).toEqual(['', null]);
  });

  it('is linked from the result, by links that open the file, except what makes other programs run', async () => {
    await using story = await openStory();
    story.work();
    story.drop('named.md', task('named', 'mkdir -p "a (b)"; echo 1 > "a (b)/c #1%.md"; echo 2 > .envrc'));
    story.drop('own/data.txt', 'x\n');
    story.drop('own/TASK.md', task('own', 'echo y > more.txt'));
    story.drop('broken.md', task('broken', 'echo half > half.txt; exit 3'));
    const linked = async (run: string): Promise<string[]> => {
      const { page } = await story.ended(run);
      const targets = [...page.matchAll(/- (?:new|changed) \[`[^`]*`\]\(([^)]*)\)/g)].map(([, target = '']) => target);
      const folder = join(story.home.workspace, 'outbox', run);
      return targets.map((target) => readFileSync(join(folder, decodeURIComponent(target)), 'utf8'));
    };
    expect(await linked('named')).toEqual(['1\n']);
    expect(await linked('own')).toEqual(['y\n']);
    expect(await linked('broken')).toEqual(['half\n']);
    expect((await story.ended('own')).page).toContain('(files/more.txt)');
  });

  it('is copied from the own folder of a task under the names that the task gave it, and not for one that failed', async () => {
    await using story = await openStory();
    story.work();
    story.drop('own/data.txt', 'x\n');
    story.drop('own/TASK.md', task('own', 'mkdir -p ../own/a && echo y > more.txt && echo z > a/b.txt'));
    story.drop('broken.md', task('broken', 'echo half > half.txt; exit 3'));
    expect([(await story.ended('own')).status, (await story.ended('broken')).status]).toEqual(['done', 'failed']);
    const copies = ['more.txt', 'a/b.txt', 'data.txt'].map((path) => copyIn(story, 'own', path));
    expect([...copies, copyIn(story, 'broken', 'half.txt')]).toEqual(['y\n', 'z\n', null, null]);
  });
});

/** Tables as people have them: what is in the first row is what their summary has to say. */
const TABLES: Record<string, [table: string, says: RegExp]> = {
  'months and an amount': [
    'date,item,amount\n2026-01-03,pens,2\n2026-02-03,pens,5.5\n',
    /\*\*7\.5\*\*.*2026-02 with 5\.5/,
  ],
  'semicolons, quotes and decimal commas': [
    'Datum;Art;Betrag\r\n01.02.2026;"Essen; Trinken";1.234,50\r\n03.03.2026;Miete;800,00\r\n',
    /\*\*2,034\.5\*\*.*2026-02 with 1,234\.5/,
  ],
  'names and no dates': [
    'name,team,points\nAnn,"red, dark",3\nBob,blue,4\nCara,blue,2\n',
    /blue with 6.*red, dark with 3/,
  ],
  'nothing to add up': ['who,where\nAnn,Graz\nBob,Wien\nCara,Graz\n', /\*\*3\*\*.*Graz with 2/],
  'more groups than fit': [
    `name,sum\n${Array.from({ length: 30 }, (_, index) => `n${index},${index}`).join('\n')}\n`,
    /\*\*435\*\*.*n29 with 29/,
  ],
};

describe('the welcome task', () => {
  it.each(Object.entries(TABLES))('draws and sums up any table: %s', async (_, [table, says]) => {
    await using story = await openStory();
    story.work();
    story.drop('welcome/table.csv', table);
    story.drop('welcome/TASK.md', readFileSync(join(import.meta.dirname, '../../share/welcome/TASK.md'), 'utf8'));
    const run = await story.until('its end', async () => (await story.eventsOf('run.judged'))[0]?.run ?? undefined);
    expect((await story.ended(run)).status).toBe('done');
    expect(copyIn(story, run, 'summary.md')).toMatch(says);
    expect(copyIn(story, run, 'chart.svg')).toMatch(/^<svg [^>]*>(?:<rect[^]*<\/text>)+<path[^>]*\/><\/svg>\n$/);
  });
});
