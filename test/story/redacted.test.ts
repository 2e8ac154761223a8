import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vaultOf } from '../../src/kit/vault/home-vault.ts';
import { withValue } from '../../src/kit/vault/vault-contents.ts';
import { temporaryFolder } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
import { isThorough } from '../support/thorough.ts';
import { call } from '../support/wire-server-reply.ts';

const value = 'kubernetes-production';
const key = `sk-${'a1B2'.repeat(10)}`;
const config = temporaryFolder();

beforeAll(() => void vi.stubEnv('XDG_CONFIG_HOME', config.dir));
afterAll(() => {
  vi.unstubAllEnvs();
  config[Symbol.dispose]();
});

/** A line that leaves `right` behind only if the shell got these very characters. */
const proves = (text: string, file: string): string => {
  const sum = createHash('sha256').update(text).digest('hex');
  return `[ "$(printf %s '${text}' | sha256sum | cut -c1-64)" = ${sum} ] && echo right > ${file}`;
};

const runbook = (id: string, ...blocks: string[]): string =>
  `---\nid: ${id}\n---\n${blocks.map((block) => `\`\`\`bash\n${block}\n\`\`\`\n`).join('\n')}`;

async function withVault(story: Story): Promise<Story> {
  await (await vaultOf(story.home)).change((all) => withValue(all, 'TARGET', value, '2030-01-01T00:00:00.000Z'));
  return story;
}

function* textsBelow(folder: string): Generator<[string, string]> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isDirectory()) yield* textsBelow(path);
    else if (stats.isFile()) yield [path, readFileSync(path, 'latin1')];
  }
}

function leaks({ home }: Story, ...secrets: string[]): string[] {
  return [...textsBelow(home.oka), ...textsBelow(join(home.workspace, 'outbox'))]
    .filter(([, text]) => secrets.some((secret) => text.includes(secret)))
    .map(([path]) => path);
}

describe('a text that is masked where it is recorded', () => {
  it('runs as the operator wrote it', async () => {
    await using story = await withVault(await openStory());
    story.drop(
      'own.md',
      runbook('own', proves(value, 'a.txt'), proves(key, 'b.txt'), 'mkdir sk-learn-experiments-2026'),
    );
    story.work();
    expect((await story.ended('own')).status).toBe('done');
    expect([story.deskText('a.txt'), story.deskText('b.txt')]).toEqual(['right\n', 'right\n']);
    expect(existsSync(story.desk('sk-learn-experiments-2026'))).toBe(true);
    await story.rest();
    expect(leaks(story, value, key)).toEqual([]);
    expect(existsSync(join(story.home.oka, 'state', 'sealed', 'own.sealed'))).toBe(false);
  });

  it('two steps that differ only in what is masked are told apart', async () => {
    await using story = await openStory();
    const count = (text: string): string => `printf %s '${text}' | wc -c >> sizes.txt`;
    story.drop('twins.md', runbook('twins', count(key), count(`${key}9`)));
    story.work();
    expect((await story.ended('twins')).status).toBe('done');
    expect(story.deskText('sizes.txt')).toBe(`${key.length}\n${key.length + 1}\n`);
  });

  it('runs as the operator wrote it after a kill, too', async () => {
    await using story = await withVault(await openStory());
    story.drop('late.md', runbook('late', 'sleep 2; echo one > one.txt', proves(value, 'two.txt')));
    const worker = story.start(['worker'], { XDG_CONFIG_HOME: config.dir });
    await story.until('the first step', async () =>
      (await story.eventsOf('call.started')).find(({ data }) => data.tool === 'shell'),
    );
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(leaks(story, value)).toEqual([]);
    story.work();
    expect((await story.ended('late')).status).toBe('done');
    expect(story.deskText('two.txt')).toBe('right\n');
  });

  it.runIf(isThorough)('is refused after a kill when there was no vault to encrypt it with', async () => {
    await using story = await openStory();
    story.drop('lost.md', runbook('lost', 'sleep 2; echo one > one.txt', proves(key, 'two.txt')));
    const worker = story.start(['worker'], { XDG_CONFIG_HOME: config.dir });
    await story.until('the first step', async () =>
      (await story.eventsOf('call.started')).find(({ data }) => data.tool === 'shell'),
    );
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    story.work();
    const { status, page } = await story.ended('lost');
    expect(status).toBe('failed');
    expect(page).toContain('Its original is no longer stored');
    expect(story.deskText('two.txt')).toBeNull();
  });

  it('gives a model nothing: a mark that it writes is refused', async () => {
    await using story = await withVault(
      await openStory({
        model: inParts({
          planner: () => plan([goal('copy', 'Write it down', ['files.write'])], ['file: done.txt']),
          executor: (request) =>
            request.text.includes('stands for a secret')
              ? call('fail', { reason: 'it was refused' })
              : acting(call('files_write', { path: 'done.txt', content: 'to [redacted:TARGET]\n' }))(request),
        }),
      }),
    );
    story.drop('copy.md', `---\nid: copy\n---\nWrite "to ${value}" into done.txt.\n`);
    story.work();
    expect((await story.ended('copy')).status).toBe('failed');
    expect(story.deskText('done.txt')).toBeNull();
    expect(story.model.requests.filter(({ text }) => text.includes(value))).toEqual([]);
  });

  it('is masked in names of files, and a task that leaves one behind is not done', async () => {
    await using story = await withVault(await openStory());
    story.write('workspace/desk/name.txt', value);
    story.drop('name.md', runbook('name', 'touch "made-$(cat name.txt).txt"; printf "%s" "$(cat name.txt)" | xxd -p'));
    story.work();
    const { status, page } = await story.ended('name');
    expect(status).not.toBe('done');
    expect(page).toContain('made-[redacted:TARGET].txt');
    await story.rest();
    expect(leaks(story, value).filter((path) => !path.includes(`${story.home.oka}/undo`))).toEqual([]);
  });
});
