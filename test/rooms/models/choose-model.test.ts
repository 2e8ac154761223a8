import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { vaultOf } from '../../../src/kit/vault/home-vault.ts';
import { isSetupPutOff } from '../../../src/rooms/models/model-setup.ts';
import { readModelSetup } from '../../../src/rooms/models/set-model.ts';
import { chooseModel, type ModelChoice } from '../../../src/app/web/setup/choose-model.ts';
import { filesWhere } from '../../support/live-files.ts';
import { shows } from '../../support/secret-forms.ts';
import { openStory, type Story } from '../../support/story.ts';
import { openWireServer, type WireServer } from '../../support/wire-server.ts';
import { fail, say } from '../../support/wire-server-reply.ts';

const KEY = 'sk-proj-zK9wQ2vX7pL4mN8';
const WRONG = 'sk-proj-aB3cD4eF5gH6iJ7';
let story: Story;
let server: WireServer;

beforeEach(async () => {
  story = await openStory();
  vi.stubEnv('XDG_CONFIG_HOME', join(story.home.dir, 'user'));
  vi.stubEnv('OKA_MODEL', '');
  // It repeats the key that it refuses, as real servers do.
  server = await openWireServer(({ headers }) =>
    headers['authorization'] === `Bearer ${KEY}`
      ? say('ready')
      : fail(401, { message: `Incorrect API key provided: ${headers['authorization']}` }),
  );
  story.work();
  await story.until('the worker', async () => (await story.eventsOf('worker.started'))[0]);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await story[Symbol.asyncDispose]();
});

const choose = async (choice: ModelChoice): Promise<unknown> => {
  const { done } = await chooseModel(story.home, choice, new AbortController().signal);
  return done ?? story.until('the outcome', async () => readModelSetup(story.home) ?? undefined);
};

const showing = (value: string): string[] => filesWhere(story.home.dir, (text) => shows(text, value));
const usedModel = (): unknown =>
  (JSON.parse(readFileSync(story.home.config, 'utf8')) as { models?: { use?: unknown } }).models?.use;

describe('a model that is chosen on the set-up page', { timeout: 60_000 }, () => {
  it('is tried by the worker and set, and its key is in the vault for its server and in no other file', async () => {
    const url = `${server.url}/v1`;
    expect(await choose({ act: 'use', request: 'q1', model: 'custom:m', url, key: KEY })).toMatchObject({
      request: 'q1',
      outcome: 'set',
      message: expect.stringContaining('It answered') as string,
    });
    expect(usedModel()).toBe('custom:m');
    const contents = await (await vaultOf(story.home)).read();
    expect(Object.values(contents?.secrets ?? {})).toMatchObject([
      { value: KEY, tools: ['model.complete'], hosts: [new URL(server.url).host] },
    ]);
    expect(showing(KEY)).toEqual([]);
    const received = await story.eventsOf('intake.received');
    expect(received.map(({ data: { intake } }) => intake)).toEqual([
      { kind: 'vault' },
      { kind: 'model', act: 'use', request: 'q1', model: 'custom:m', url },
    ]);
  });

  it('that refuses the key changes nothing, and what its server says is shown without the key', async () => {
    const choice = { model: 'custom:m', url: `${server.url}/v1`, key: WRONG };
    const outcome = await choose({ act: 'use', ...choice });
    expect(outcome).toMatchObject({ outcome: 'no-answer', message: expect.stringContaining('401') as string });
    expect(shows(JSON.stringify(outcome), WRONG)).toBe(false);
    expect(showing(WRONG)).toEqual([]);
    expect(usedModel()).toBeUndefined();
    expect((await (await vaultOf(story.home)).read())?.secrets ?? {}).toEqual({});
    expect(await choose({ act: 'keep', ...choice })).toMatchObject({ outcome: 'set' });
    expect(usedModel()).toBe('custom:m');
  });

  it('is refused with an example when it names no provider, and is put off when the person wants that', async () => {
    expect(await choose({ act: 'use', model: 'nonsense' })).toMatchObject({
      outcome: 'refused',
      fix: expect.stringContaining('ollama:llama3.2') as string,
    });
    expect(isSetupPutOff(story.home)).toBe(false);
    expect(await choose({ act: 'later' })).toMatchObject({ outcome: 'later' });
    expect(isSetupPutOff(story.home)).toBe(true);
  });
});
