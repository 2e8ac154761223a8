import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecordingServer, portOf } from '../support/recording-server.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let story: Story;
let server: Server;
let other: Server;
let requests: string[];

beforeEach(async () => {
  requests = [];
  server = await openRecordingServer('wanted', requests);
  other = await openRecordingServer('other', requests);
});

afterEach(async () => {
  await story[Symbol.asyncDispose]();
  for (const each of [server, other]) each.close();
});

/** Neither host is in the words of the command, nor as an address in its script. */
const SCRIPT = 'for port in $(cat ports.txt); do curl -s -m 5 -d x "http://$(cat host.txt):$port/"; done; true\n';

async function askedStory(times = 1): Promise<{ wait: string }> {
  const deploy = call('shell', { line: 'bash deploy.sh', net_refused: 'ok' });
  story = await openStory({
    model: inParts({
      planner: () => plan([goal('do', 'deploy', ['shell'])], ['file: deploy.sh']),
      executor: acting(...Array.from({ length: times }, () => deploy)),
      critic: () => call('submit_verdict', { criteria: [], verdict: 'impossible', reason: 'no' }),
    }),
  });
  story.write('workspace/desk/deploy.sh', SCRIPT);
  story.write('workspace/desk/host.txt', '127.0.0.1');
  story.write('workspace/desk/ports.txt', `${portOf(server)}\n${portOf(other)}\n`);
  story.drop('deploy.md', '---\nid: deploy\nbudget: { replans: 0 }\n---\nDeploy it.\n');
  story.work();
  return story.asked('approval');
}

const pageFile = (wait: string): string => join(story.home.oka, 'approvals', `${wait}.md`);
const pageOf = (wait: string): Promise<string> =>
  story.until('its page', async () => (existsSync(pageFile(wait)) ? readFileSync(pageFile(wait), 'utf8') : undefined));

describe('a command whose hosts cannot be read from its words', () => {
  it('reaches none without a name, and the page asks for it', async () => {
    const { wait } = await askedStory();
    expect(await pageOf(wait)).toContain('It is not known which host it would connect to');
    await story.oka('approve', wait);
    await story.ended('deploy');
    expect(requests).toEqual([]);
  });

  it('reaches exactly the host that oka approve --host names', async () => {
    const { wait } = await askedStory();
    expect((await story.oka('approve', wait, '--host', `127.0.0.1:${portOf(server)}`)).code).toBe(0);
    await story.ended('deploy');
    expect(requests).toEqual(['wanted POST']);
  });

  it('reaches exactly the host that is written on the page', async () => {
    const { wait } = await askedStory();
    const page = await pageOf(wait);
    const answered = page
      .replace(/^decision:$/m, 'decision: approve')
      .replace(/^hosts:$/m, `hosts: 127.0.0.1:${portOf(other)}`);
    writeFileSync(pageFile(wait), answered);
    await story.ended('deploy');
    expect(requests).toEqual(['other POST']);
  });

  it('--always-for-this-run covers the named hosts, too', async () => {
    const { wait } = await askedStory(2);
    await story.oka('approve', wait, '--always-for-this-run', '--host', `127.0.0.1:${portOf(server)}`);
    await story.ended('deploy');
    expect(requests).toEqual(['wanted POST', 'wanted POST']);
  });

  it('a word that is no host is refused before anything is answered', async () => {
    const { wait } = await askedStory();
    const refused = await story.oka('approve', wait, '--host', 'http://127.0.0.1');
    expect(refused.code).not.toBe(0);
    expect((await story.waiting()).map((each) => each.wait)).toContain(wait);
  });
});
