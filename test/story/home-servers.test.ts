import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/schema/json.ts';
import { openRecordingServer, portOf } from '../support/recording-server.ts';
import { openStory, type Story } from '../support/story.ts';
import { acting, goal, inParts, plan, refusing } from '../support/story-model.ts';
import { call } from '../support/wire-server-reply.ts';

let story: Story;
let server: Server;
let other: Server;
let requests: string[];

beforeEach(async () => {
  requests = [];
  server = await openRecordingServer('nas', requests);
  other = await openRecordingServer('other', requests);
});

afterEach(async () => {
  await story[Symbol.asyncDispose]();
  for (const each of [server, other]) each.close();
});

const urlOf = (each: Server): string => `http://127.0.0.1:${portOf(each)}/`;
const withRule = (rule: string) => (text: string) => text.replace('rules: []', `rules:\n  - ${rule}`);
const RUNBOOK = (line: string): string => `---\nid: light\n---\n\`\`\`bash\n${line}\n\`\`\`\n`;

/** A task of which a model makes this one call. */
async function modelStory(tool: string, input: Json, rule?: string): Promise<void> {
  story = await openStory({
    model: inParts({
      planner: () => plan([goal('do', 'switch the light', [tool])], ['The light is on.']),
      executor: acting(call(tool.replace('.', '_'), input)),
      critic: refusing,
    }),
    ...(rule === undefined ? {} : { policy: withRule(rule) }),
  });
  story.drop('light.md', '---\nid: light\nbudget: { replans: 0 }\n---\nSwitch the light on.\n');
  story.work();
}

async function pageOf(wait: string): Promise<string> {
  const file = join(story.home.oka, 'approvals', `${wait}.md`);
  return story.until('its page', async () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
}

describe('a server at home', () => {
  it.each([
    ['http.request', () => ({ method: 'POST', url: urlOf(server), body: 'on' })],
    ['shell', () => ({ line: `curl -s -m 5 -d on ${urlOf(server)}` })],
    ['http.get', () => ({ url: urlOf(server) })],
  ] as const)('gets what %s sends after the approval, which says what it opens', async (tool, input) => {
    await modelStory(tool, input());
    const { wait } = await story.asked('approval');
    expect(requests).toEqual([]);
    const page = await pageOf(wait);
    expect(page).toContain(`127.0.0.1:${portOf(server)} is on your own network, or this machine itself.`);
    await story.oka('approve', wait);
    await story.ended('light');
    expect(requests).toEqual([tool === 'http.get' ? 'nas GET' : 'nas POST']);
  });

  it('gets nothing when the answer is no', async () => {
    await modelStory('http.get', { url: urlOf(server) });
    const { wait } = await story.asked('approval');
    await story.oka('deny', wait);
    await story.ended('light');
    expect(requests).toEqual([]);
  });

  it('is open to a model without a question when a rule names host and port, and no other port is', async () => {
    await modelStory(
      'shell',
      { line: `curl -s -m 5 ${urlOf(server)}; curl -s -m 5 ${urlOf(other)}; true`, net_refused: 'ok' },
      `{ effect: allow, host: '127.0.0.1:${portOf(server)}' }`,
    );
    await story.ended('light');
    expect(requests).toEqual(['nas GET']);
    expect(await story.eventsOf('wait.opened', 'light')).toEqual(
      (await story.eventsOf('wait.opened', 'light')).filter(({ data }) => data.for.kind === 'child'),
    );
  });

  it('is reached by a runbook when a rule names program and host', async () => {
    story = await openStory({
      policy: withRule(`{ effect: allow, program: curl, host: '127.0.0.1:${portOf(server)}' }`),
    });
    story.drop('light.md', RUNBOOK(`curl -sf -m 5 -d on ${urlOf(server)}`));
    story.work();
    expect((await story.ended('light')).status).toBe('done');
    expect(requests).toEqual(['nas POST']);
  });

  it('is not reached by a program that the rule does not name', async () => {
    story = await openStory({
      policy: withRule(`{ effect: allow, program: wget, host: '127.0.0.1:${portOf(server)}' }`),
    });
    story.drop('light.md', RUNBOOK(`curl -sf -m 5 -d on ${urlOf(server)}`));
    story.work();
    await story.asked('approval');
    expect(requests).toEqual([]);
  });

  it('oka classify says what the policy of this home says', async () => {
    story = await openStory({ policy: withRule("{ effect: allow, program: curl, host: 'nas.local:8123' }") });
    const verdictOn = async (line: string): Promise<string> =>
      (JSON.parse((await story.oka('classify', '--json', line)).out) as { verdict: string }).verdict;
    expect(await verdictOn('curl -d on http://nas.local:8123/light')).toBe('allow');
    expect(await verdictOn('curl -d on http://nas.local:8124/light')).toBe('ask');
    story.write(
      '.oka/rules/POLICY.md',
      readFileSync(story.home.policy, 'utf8').replace('effect: allow', 'effect: deny'),
    );
    expect(await verdictOn('curl -d on http://nas.local:8123/light')).toBe('deny');
  });
});
