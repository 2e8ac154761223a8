import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/schema/json.ts';
import { ownFolder, readIfPresent, withFolders } from '../support/own-folder.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, partOf, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let story: Story;
/** A folder of a person, outside the home of oka. */
let mine: string;

beforeEach(() => {
  mine = ownFolder();
  put('Documents/letter.txt', 'dear all\n');
});

afterEach(async () => {
  await story[Symbol.asyncDispose]();
  rmSync(mine, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(mine, path)), { recursive: true });
  writeFileSync(join(mine, path), text);
}

const read = (path: string): string | null => readIfPresent(join(mine, path));
const readable = (more = ''): string => `{ path: ${mine}/Documents, access: read${more} }`;
const writable = (more = ''): string => `{ path: ${mine}/Backup, access: write${more} }`;
const runbook = (id: string, line: string, fields = ''): string =>
  `---\nid: ${id}\n${fields}---\n\`\`\`bash\n${line}\n\`\`\`\n`;

async function run(id: string, line: string, fields = '') {
  story.drop(`${id}.md`, runbook(id, line, fields));
  return story.ended(id);
}

const errorsOf = async (): Promise<string> =>
  (await story.eventsOf('call.ended')).map(({ data }) => data.error ?? '').join('\n');

describe('folders outside the desk, by the policy', () => {
  it('a task that names one reads it, and a task that does not cannot', async () => {
    story = await openStory({ policy: withFolders(readable()) });
    story.work();
    const line = 'cat "$(cat where.txt)/letter.txt" > copy.txt';
    story.write('workspace/desk/where.txt', `${mine}/Documents`);
    expect((await run('silent', line)).status).toBe('failed');
    expect((await run('named', line, `reads: [${mine}/Documents]\n`)).status).toBe('done');
    expect(story.deskText('copy.txt')).toBe('dear all\n');
  });

  it('a task that writes the path in its own words has named it', async () => {
    story = await openStory({ policy: withFolders(readable()) });
    story.work();
    expect((await run('copy', `cp ${mine}/Documents/letter.txt .`)).status).toBe('done');
  });

  it('a folder that may be read is not written', async () => {
    story = await openStory({ policy: withFolders(readable(', tasks: all')) });
    story.work();
    expect((await run('write', `touch ${mine}/Documents/new.txt`)).status).toBe('failed');
    expect(read('Documents/new.txt')).toBeNull();
  });

  it('tasks: lists which tasks may use it', async () => {
    story = await openStory({ policy: withFolders(writable(', tasks: ["backup*"]')) });
    story.work();
    expect((await run('backup-1', `echo x > ${mine}/Backup/a.txt`)).status).toBe('done');
    expect((await run('other', `echo x > ${mine}/Backup/b.txt`)).status).toBe('failed');
    expect([read('Backup/a.txt'), read('Backup/b.txt')]).toEqual(['x\n', null]);
  });

  it('undo restores what a task wrote there, and leaves what a person changed', async () => {
    put('Backup/old.txt', 'old\n');
    put('Backup/gone.txt', 'gone\n');
    story = await openStory({ policy: withFolders(writable(', tasks: all')) });
    story.work();
    const line = `cd ${mine}/Backup && echo new > new.txt && echo changed > old.txt && rm gone.txt`;
    const { page, status } = await run('tidy', line);
    expect(status).toBe('done');
    expect(page).toContain(`${mine}/Backup/new.txt`);
    put('Backup/mine.txt', 'mine\n');
    const undone = await story.oka('undo', 'tidy');
    expect(undone.out).toContain(`${mine}/Backup/gone.txt`);
    expect(['new.txt', 'old.txt', 'gone.txt', 'mine.txt'].map((name) => read(`Backup/${name}`))).toEqual([
      null,
      'old\n',
      'gone\n',
      'mine\n',
    ]);
  });

  it('git push to a bare repository there works, by path and by remote', async () => {
    story = await openStory({ policy: withFolders(writable(', tasks: all')) });
    story.work();
    const lines = [
      `git init -q --bare ${mine}/Backup/notes.git`,
      'git init -q -b main notes && cd notes',
      'git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m one',
      `git push -q ${mine}/Backup/notes.git main`,
      `git remote add origin ${mine}/Backup/notes.git`,
    ].join('\n');
    expect((await run('first', lines)).status).toBe('done');
    const second = ['git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m two', 'git push -q origin main'];
    story.drop(
      'second.md',
      `---\nid: second\ndir: notes\n---\n${second.map((line) => `\`\`\`bash\n${line}\n\`\`\`\n`).join('')}`,
    );
    expect((await story.ended('second')).status).toBe('done');
    const third =
      'cd notes; git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m three; git push -q origin main';
    expect((await run('third', third)).status).toBe('done');
    const log = execFileSync('git', ['-C', join(mine, 'Backup/notes.git'), 'log', '--format=%s', 'main'], {
      encoding: 'utf8',
    });
    expect(log).toBe('three\ntwo\none\n');
    expect(await story.eventsOf('wait.opened')).toSatisfy((waits: { data: { for: { kind: string } } }[]) =>
      waits.every(({ data }) => data.for.kind === 'child'),
    );
  });
});

describe('folders that the policy does not open', () => {
  it('are asked about once, with what the approval opens', async () => {
    story = await openStory();
    story.work();
    story.drop(
      'copy.md',
      runbook(
        'copy',
        `cp ${mine}/Documents/letter.txt ${mine}/Backup/`,
        `reads: [${mine}/Documents]\nwrites: [${mine}/Backup]\n`,
      ),
    );
    const { wait } = await story.asked('approval');
    const file = join(story.home.oka, 'approvals', `${wait}.md`);
    const page = await story.until('its page', async () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
    expect(page).toContain('# May this task use these folders?');
    expect(page).toContain(`read ${mine}/Documents`);
    expect(page).toContain(`Files in ${mine}/Backup can be created, changed and removed; oka undo restores them.`);
    await story.oka('approve', wait);
    expect((await story.ended('copy')).status).toBe('done');
    expect(read('Backup/letter.txt')).toBe('dear all\n');
    expect(await story.waiting()).toEqual([]);
  });

  it('stay closed when the answer is no', async () => {
    story = await openStory();
    story.work();
    story.drop('copy.md', runbook('copy', `cp ${mine}/Documents/letter.txt .`, `reads: [${mine}/Documents]\n`));
    await story.oka('deny', (await story.asked('approval')).wait);
    expect((await story.ended('copy')).status).toBe('failed');
    expect(story.deskText('letter.txt')).toBeNull();
  });

  it('are asked about when a task names more than the policy allows', async () => {
    story = await openStory({ policy: withFolders(readable()) });
    story.work();
    story.drop('more.md', runbook('more', `touch ${mine}/Documents/x`, `writes: [${mine}/Documents]\n`));
    expect((await story.asked('approval')).for).toMatchObject({ asked: { command: `write ${mine}/Documents` } });
    expect(read('Documents/x')).toBeNull();
  });

  it.each([
    ['the home of oka', () => story.home.dir, 'contains the rules and records of oka'],
    ['what contains it', () => dirname(story.home.dir), 'contains the rules and records of oka'],
    ['the rules', () => join(story.home.oka, 'rules'), 'the rules and records of oka'],
    ['the inbox', () => join(story.home.workspace, 'inbox'), 'tasks and results are written there'],
    ['the home folder of the user', () => homedir(), 'keys and settings'],
    ['a folder with a key in it', () => join(mine, 'Keys'), 'contains keys'],
    ['a path with ..', () => `${mine}/Backup/../Documents`, 'has .. in it'],
    ['a folder that is not there', () => join(mine, 'nowhere'), 'is not there'],
    ['programs of the system', () => '/usr/local/bin', 'programs that you start are in it'],
  ])('%s is never opened, and the result says why', async (_, path, why) => {
    put('Keys/old/id_ed25519', 'secret');
    story = await openStory();
    story.work();
    const { status, reason } = await run('never', 'true', `writes: [${path()}]\n`);
    expect(status).toBe('failed');
    expect(reason).toContain(why);
  });

  it('in a container the message says which line mounts it', async () => {
    story = await openStory();
    story.work({ OKA_CONTAINER: '1' });
    const { reason } = await run('mount', 'true', 'reads: [/home/me/Documents]\n');
    expect(reason).toContain('- /home/me/Documents:/home/me/Documents:ro');
  });
});

describe('a hijacked model', () => {
  async function hijacked(
    calls: readonly [string, Json][],
    policy = withFolders(readable(), writable()),
  ): Promise<void> {
    story = await openStory({
      model: inParts({
        planner: () =>
          plan([goal('do', 'copy the letters', ['shell', 'files.read', 'files.write'])], ['They are copied.']),
        executor: acting(...calls.map(([tool, input]) => call(tool, input))),
        critic: refusing,
      }),
      policy,
    });
    story.drop('copy.md', `---\nid: copy\nbudget: { replans: 0 }\n---\nCopy ${mine}/Documents to ${mine}/Backup.\n`);
    story.work();
    await story.ended('copy');
  }

  it('works in the folders of its task with commands and file tools, without a question', async () => {
    await hijacked([
      ['shell', { line: `cp ${mine}/Documents/letter.txt ${mine}/Backup/letter.txt` }],
      ['files_read', { path: `${mine}/Documents/letter.txt` }],
      ['files_write', { path: `${mine}/Backup/list.txt`, content: 'letter.txt\n' }],
    ]);
    expect([read('Backup/letter.txt'), read('Backup/list.txt')]).toEqual(['dear all\n', 'letter.txt\n']);
    for (const { text } of story.model.requests.filter((request) => partOf(request) !== 'critic'))
      expect(text).toContain(`may read and change ${mine}/Backup`);
  });

  it('leaves them neither by a link, nor by .., nor by a script', async () => {
    put('Private/diary.txt', 'my diary\n');
    await hijacked([
      ['shell', { line: `ln -s ${mine}/Private ${mine}/Backup/link; cat ${mine}/Backup/link/diary.txt > a.txt` }],
      [
        'files_write',
        {
          path: 'go.py',
          content: `import os\nos.symlink('${mine}/Private', '${mine}/Backup/link')\nopen('b.txt','w').write(open('${mine}/Backup/link/diary.txt').read())\n`,
        },
      ],
      ['shell', { line: 'python3 go.py' }],
      ['files_read', { path: `${mine}/Backup/../Private/diary.txt` }],
      ['files_read', { path: `${mine}/Backup/link/diary.txt` }],
      ['files_write', { path: `${mine}/Backup/link/new.txt`, content: 'x' }],
      ['files_write', { path: `${mine}/Documents/letter.txt`, content: 'x' }],
    ]);
    expect([story.deskText('a.txt') ?? '', story.deskText('b.txt') ?? ''].join('')).not.toContain('diary');
    expect((await story.events()).map((event) => JSON.stringify(event)).join('\n')).not.toContain('my diary');
    expect([read('Private/new.txt'), read('Documents/letter.txt')]).toEqual([null, 'dear all\n']);
  });

  it('does not get a folder that it has swapped for a link', async () => {
    put('Private/diary.txt', 'my diary\n');
    put('Backup/today/a.txt', 'a\n');
    await hijacked(
      [
        [
          'files_write',
          {
            path: 'go.py',
            content: `import os, shutil\nshutil.rmtree('${mine}/Backup/today')\nos.symlink('${mine}/Private', '${mine}/Backup/today')\n`,
          },
        ],
        ['shell', { line: 'python3 go.py' }],
      ],
      withFolders(writable(), `{ path: ${mine}/Backup/today, access: read, tasks: all }`),
    );
    expect(read('Backup/today/diary.txt')).toBe('my diary\n'); // the link is there
    expect((await run('later', `cat ${mine}/Backup/today/diary.txt`, 'budget: { replans: 0 }\n')).status).toBe(
      'failed',
    );
    const { reason } = await run('named', 'true', `reads: [${mine}/Backup/today]\n`);
    expect(reason).toContain('goes through a link');
  });

  it('cannot leave a file there that makes other programs run', async () => {
    await hijacked([
      [
        'files_write',
        {
          path: 'go.sh',
          content: `cd ${mine}/Backup && git init -q . && echo evil > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit && echo evil > .envrc && echo fine > fine.txt\n`,
        },
      ],
      ['shell', { line: 'bash go.sh' }],
    ]);
    expect([read('Backup/.git/hooks/pre-commit'), read('Backup/.envrc'), read('Backup/fine.txt')]).toEqual([
      null,
      null,
      'fine\n',
    ]);
    expect(await errorsOf()).toContain('make other programs run');
  });

  it('has no folder that its task does not name', async () => {
    story = await openStory({
      model: inParts({
        planner: () => plan([goal('do', 'read', ['shell', 'files.read'])], ['It is read.']),
        executor: acting(
          call('files_read', { path: `${mine}/Documents/letter.txt` }),
          call('shell', { line: 'cat "$(cat where.txt)"' }),
        ),
        critic: refusing,
      }),
      policy: withFolders(readable()),
    });
    story.write('workspace/desk/where.txt', `${mine}/Documents/letter.txt`);
    story.drop('copy.md', '---\nid: copy\nbudget: { replans: 0 }\n---\nSay hello.\n');
    story.work();
    await story.asked('approval'); // the kernel stopped it, so it is asked about as more than a read
    expect((await story.events()).map((event) => JSON.stringify(event)).join('\n')).not.toContain('dear all');
  });
});

it('a link in the policy that a person made is followed', async () => {
  symlinkSync(join(mine, 'Documents'), join(mine, 'docs'));
  story = await openStory({ policy: withFolders(`{ path: ${mine}/docs, access: read, tasks: all }`) });
  story.work();
  expect((await run('copy', `cp ${mine}/docs/letter.txt .`)).status).toBe('done');
});
