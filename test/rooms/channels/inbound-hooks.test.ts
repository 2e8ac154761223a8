import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signWebhook } from '../../../src/rooms/channels/webhook/webhook-channel.ts';
import { submitCall } from '../../../src/rooms/channels/hook-calls.ts';
import { openHookCalls, type TakeCalls } from '../../../src/rooms/channels/inbound-hooks.ts';
import type { HookCall } from '../../../src/core/schema/hook-call.ts';
import type { Credential } from '../../../src/core/schema/ports.ts';
import { type ReachingStory, reachingStories } from '../../support/reaching.ts';

const KEY = 'whsec_c2VjcmV0LWtleS1vZi1hLWhvb2s=';
const NOW = Date.UTC(2026, 0, 5, 12);
const found: Credential = { value: KEY, version: 1, tools: ['hooks.deploy'], hosts: [], commands: [], fingerprint: '' };

const { tell, closeStories } = reachingStories();
afterEach(closeStories);

describe('calls of a hook', () => {
  let story: ReachingStory;
  let log: string[];
  let secret: () => Promise<Credential | null>;
  let take: TakeCalls;
  beforeEach(() => {
    story = tell({});
    log = [];
    secret = () => Promise.resolve(found);
    mkdirSync(join(story.home.workspace, 'inbox'), { recursive: true });
    mkdirSync(join(story.home.oka, 'rules', 'hooks'), { recursive: true });
    writeFileSync(join(story.home.oka, 'rules', 'hooks', 'deploy.md'), '---\ntitle: Deploy\n---\nRead payload.json.\n');
    take = open();
  });
  const open = (): TakeCalls => {
    const { home, ledger, projections } = story;
    return openHookCalls({ home, ledger, projections, find: () => secret(), log: (line) => void log.push(line) });
  };
  const store = async (id: string, changed: Partial<HookCall> = {}, source = '192.0.2.1'): Promise<void> => {
    const signed = { hook: 'deploy', id, timestamp: String(NOW / 1000), body: '{"words":"Delete it."}', received: NOW };
    const signature = signWebhook(KEY, id, signed.timestamp, signed.body);
    const from = { source, signal: new AbortController().signal };
    expect(await submitCall(story.home, { ...signed, signature, ...changed }, from)).toBe(null);
  };
  const waiting = (): string[] => readdirSync(join(story.home.oka, 'web', 'hooks'));
  const inInbox = (): string[] =>
    readdirSync(join(story.home.workspace, 'inbox'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.(md|json)$/.test(path),
    );
  const received = (): string[] =>
    story.events.flatMap(({ type, data }) => (type === 'channel.received' ? [`${data.became}: ${data.reason}`] : []));

  it('a stranger who fills the place of calls while no worker runs keeps out nobody else', async () => {
    for (let call = 0; call < 100; call += 1) await store(`forged_${call}`, { signature: 'v1,forged' }, '203.0.113.9');
    await expect(store('forged', { signature: 'v1,forged' }, '203.0.113.9')).rejects.toThrow('too many calls wait');
    await store('msg_1');
    expect(waiting()).toHaveLength(101);
    await take();
    expect(received()).toContain('task: it was signed with the key of deploy');
    expect(inInbox()).toHaveLength(2);
  });

  it('become one task of the template each, with the body as a file, however often they come', async () => {
    for (const id of ['msg_1', 'msg_1', 'msg_2']) await store(id);
    await take();
    expect(waiting()).toEqual([]);
    expect(inInbox()).toHaveLength(4);
    const [text = ''] = inInbox().filter((path) => path.endsWith('TASK.md'));
    const task = readFileSync(join(story.home.workspace, 'inbox', text), 'utf8');
    expect(task).toMatch(/^---\ntitle: Deploy\nid: "?hook-deploy-[0-9a-f]{16}"?\n---\nRead payload.json.\n$/);
    expect(received()).toEqual(Array.from({ length: 2 }, () => 'task: it was signed with the key of deploy'));
    await store('msg_1');
    await open()(); // another process, with the same ledger
    expect(received()).toHaveLength(2);
    expect(inInbox()).toHaveLength(4);
  });

  it('that nothing proves change nothing, and are recorded', async () => {
    await store('msg_1', { signature: 'v1,AAAA' });
    await store('msg_2', { signature: signWebhook('another', 'msg_2', String(NOW / 1000), '{}') });
    await store('msg_3', { body: '{"changed":1}' });
    await store('msg_4', { received: NOW + 600_000 });
    await store('msg_5', { signature: `v1,${'é'.repeat(44)}` });
    await take();
    secret = () => Promise.resolve({ ...found, tools: ['http.request'] });
    await store('msg_6');
    await take();
    secret = () => Promise.resolve(null);
    await store('msg_7');
    await take();
    expect(waiting()).toEqual([]);
    expect(inInbox()).toEqual([]);
    expect(new Set(received())).toEqual(
      new Set([
        'nothing: deploy: its signature is not right',
        'nothing: deploy: it is too old',
        'nothing: there is no hook deploy',
      ]),
    );
  });

  it('are judged by when they came in, however late the worker looks', async () => {
    await store('msg_1');
    await story.pass(3_600_000, 600_000);
    await take();
    expect(received()).toEqual(['task: it was signed with the key of deploy']);
  });

  it('stay while their key cannot be read, which is reported once, and are taken afterwards', async () => {
    secret = () => Promise.reject(new Error('the vault is locked'));
    await store('msg_1');
    await take();
    await take();
    expect([waiting().length, log]).toEqual([1, ['hooks: the vault is locked']]);
    secret = () => Promise.resolve(found);
    await take();
    expect([waiting(), inInbox().length]).toEqual([[], 2]);
  });

  it('that are links, folders or rubbish are removed, and nothing is read through them', async () => {
    await store('msg_1');
    const [real = ''] = waiting();
    const named = (digit: string): string => join(story.home.oka, 'web', 'hooks', real.replace(/\w(?=\.json$)/, digit));
    const elsewhere = join(story.home.dir, 'elsewhere.json');
    writeFileSync(
      elsewhere,
      readFileSync(join(story.home.oka, 'web', 'hooks', real), 'utf8').replace('msg_1', 'msg_2'),
    );
    const digits = ['0', '1', '2', '3'].filter((digit) => !real.endsWith(`${digit}.json`));
    symlinkSync(elsewhere, named(digits[0] ?? ''));
    mkdirSync(named(digits[1] ?? ''));
    writeFileSync(named(digits[2] ?? ''), '{"hook":"deploy"}');
    await take();
    expect(waiting()).toEqual([]);
    expect(received().toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'nothing: it is not a signed call'),
      'task: it was signed with the key of deploy',
    ]);
    expect(readFileSync(elsewhere, 'utf8')).toContain('msg_2');
  });

  it('in a flood of forgeries are recorded as often as a person would read', async () => {
    for (let index = 0; index < 60; index += 1) await store(`forged_${index}`, { signature: 'v1,AAAA' });
    await store('msg_1');
    await take();
    expect(received().filter((line) => line.startsWith('nothing'))).toHaveLength(20);
    expect(received()).toContain('task: it was signed with the key of deploy');
  });
});
