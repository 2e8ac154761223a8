import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownFolder, readIfPresent, withFolders } from '../support/own-folder.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, partOf, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let story: Story;
/** A folder of a person, outside the home of oka. */
let mine: string;

beforeEach(() => {
  mine = ownFolder();
});

afterEach(async () => {
  await story[Symbol.asyncDispose]();
  rmSync(mine, { recursive: true, force: true });
});

const read = (path: string): string | null => readIfPresent(join(mine, path));
const backup = (more = ''): string => `{ path: ${mine}/Backup, access: write, tasks: all${more} }`;
const runbook = (id: string, line: string, fields = ''): string =>
  `---\nid: ${id}\n${fields}---\n\`\`\`bash\n${line}\n\`\`\`\n`;

async function run(id: string, line: string, fields = '') {
  story.drop(`${id}.md`, runbook(id, line, fields));
  return story.ended(id);
}

/** A file of 300 MB that needs no space on the disk: too large for undo. */
function fillBackup(): void {
  writeFileSync(join(mine, 'Backup/film.mkv'), '');
  truncateSync(join(mine, 'Backup/film.mkv'), 300 * 1024 ** 2);
}

describe('undo of folders outside the desk', () => {
  it('a folder that is too large is written only after a question that says so', async () => {
    fillBackup();
    story = await openStory({ policy: withFolders(backup()) });
    story.work();
    story.drop('large.md', runbook('large', `echo x > ${mine}/Backup/x.txt`));
    const { wait, for: asked } = await story.asked('approval');
    expect(JSON.stringify(asked)).toContain('too large for oka undo');
    expect(read('Backup/x.txt')).toBeNull();
    await story.oka('approve', wait);
    expect((await story.ended('large')).status).toBe('done');
    expect(read('Backup/x.txt')).toBe('x\n');
    expect(await story.oka('undo', 'large')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/cannot +\S+\/Backup: undo does not cover this folder/),
    });
    expect(read('Backup/x.txt')).toBe('x\n');
  });

  it('undo: none in the policy is that answer for good', async () => {
    fillBackup();
    story = await openStory({ policy: withFolders(backup(', undo: none')) });
    story.work();
    expect((await run('large', `echo x > ${mine}/Backup/x.txt`)).status).toBe('done');
    expect(read('Backup/x.txt')).toBe('x\n');
    expect((await story.eventsOf('wait.opened')).filter(({ data }) => data.for.kind === 'approval')).toEqual([]);
  });

  it('a model can only read such a folder, and its planner and worker know that', async () => {
    fillBackup();
    story = await openStory({
      policy: withFolders(backup(', undo: none')),
      model: inParts({
        planner: () => plan([goal('do', 'write a note', ['files.write'])], ['There is a note.']),
        executor: acting(call('files_write', { path: `${mine}/Backup/note.txt`, content: 'x' })),
        critic: refusing,
      }),
    });
    story.drop('note.md', `---\nid: note\nbudget: { replans: 0 }\n---\nWrite a note into ${mine}/Backup.\n`);
    story.work();
    await story.ended('note');
    const asked = story.model.requests.filter((request) => partOf(request) !== 'critic').map(({ text }) => text);
    expect(asked.length).toBeGreaterThan(1);
    for (const text of asked) expect(text).toContain(`this task may read ${mine}/Backup:`);
    expect(read('Backup/note.txt')).toBeNull();
  });

  it('says that a folder is gone, and undoes the rest', async () => {
    story = await openStory({ policy: withFolders(backup()) });
    story.work();
    expect((await run('both', `echo x > here.txt; echo x > ${mine}/Backup/x.txt`)).status).toBe('done');
    rmSync(join(mine, 'Backup'), { recursive: true });
    for (const words of [
      ['undo', 'both', '--dry-run'],
      ['undo', 'both'],
    ])
      expect(await story.oka(...words)).toMatchObject({
        code: 1,
        out: expect.stringMatching(/removed +here\.txt[^]*cannot +\S+\/Backup: the folder is gone/),
      });
    expect(story.deskText('here.txt')).toBeNull();
  });

  it('after kill -9 in the middle of a write nothing is done twice, and undo restores all of it', async () => {
    writeFileSync(join(mine, 'Backup/old.txt'), 'old\n');
    story = await openStory({ policy: withFolders(backup()) });
    story.drop('slow.md', runbook('slow', `cd ${mine}/Backup\necho once >> marks.txt\nsleep 2\necho new > old.txt`));
    const worker = story.start(['worker']);
    await story.until('the first write', async () => read('Backup/marks.txt') ?? undefined);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    story.start(['worker']);
    expect((await story.ended('slow')).status).toBe('done');
    expect([read('Backup/marks.txt'), read('Backup/old.txt')]).toEqual(['once\n', 'new\n']);
    expect((await story.oka('undo', 'slow')).code).toBe(0);
    expect([read('Backup/marks.txt'), read('Backup/old.txt')]).toEqual([null, 'old\n']);
  });

  it('a link made in a folder that was approved once is not followed for a later task', async () => {
    mkdirSync(join(mine, 'Private'));
    writeFileSync(join(mine, 'Private/diary.txt'), 'my diary\n');
    story = await openStory({ policy: withFolders(`{ path: ${mine}/Backup/today, access: read, tasks: all }`) });
    story.work();
    story.drop('link.md', runbook('link', 'true', `writes: [${mine}/Backup]\n`));
    await story.oka('approve', (await story.asked('approval')).wait);
    expect((await story.ended('link')).status).toBe('done');
    symlinkSync(join(mine, 'Private'), join(mine, 'Backup/today'));
    const { reason } = await run('later', `cat ${mine}/Backup/today/diary.txt`, `reads: [${mine}/Backup/today]\n`);
    expect(reason).toContain('goes through a link');
  });
});
