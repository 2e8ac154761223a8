import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { okaWith, temporaryFolder } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';

const VALUE = 'tok-93xw-canary-71';
const LONG = 'an ordinary line\n'.repeat(1000);

let story: Story;
afterEach(() => story[Symbol.asyncDispose]());

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

describe('an output that is saved next to a result', () => {
  it('is quarantined if a known secret is in it, also between invisible characters, and the result says where', async () => {
    story = await openStory();
    using folder = temporaryFolder();
    const env = { XDG_CONFIG_HOME: folder.dir };
    expect((await okaWith({ env, input: VALUE }, 'secrets', 'set', 'TOKEN', '--dir', story.home.dir)).code).toBe(0);
    story.write('workspace/desk/hidden.txt', `${LONG}${Array.from(VALUE).join('\u200b')}\n${LONG}`);
    story.write('workspace/desk/plain.txt', LONG);
    story.drop('show.md', '---\nid: show\n---\n```sh\ncat hidden.txt\n```\n\n```sh\ncat plain.txt\n```\n');
    story.work(env);
    const { page } = await story.ended('show');
    const shown = join(story.home.workspace, 'outbox/show/outputs');
    const hidden = join(story.home.oka, 'quarantine/show');
    expect([filesIn(shown), filesIn(hidden)].map((files) => files.length)).toEqual([1, 1]);
    const [name = ''] = filesIn(hidden);
    expect(page).toContain(`.oka/quarantine/show/${name}`);
    expect(readFileSync(join(hidden, name), 'utf8')).toContain('[redacted:TOKEN]');
    expect([statSync(hidden), statSync(join(hidden, name))].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });
});
