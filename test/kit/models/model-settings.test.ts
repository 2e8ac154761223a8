import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelsFrom } from '../../../src/kit/models/role-models.ts';
import { resolveModel } from '../../../src/kit/models/model-settings.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { ModelsConfig } from '../../../src/core/schema/model.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { say } from '../../support/wire-server-reply.ts';
import { ask, environmentAt, failureOf, settings, turn } from './support.ts';

const name = { provider: 'openai', model: 'gpt-4.1' } as const;

describe('calledFor', () => {
  it('knows what to do when nothing is set', () => {
    expect(resolveModel(name, settings())).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      keyName: 'OPENAI_API_KEY',
      temperature: null,
      topP: null,
      maxTokens: 16_384,
      contextTokens: 1_000_000,
      timeoutMs: 240_000,
      price: { in: 2, out: 8 },
      toolCalls: 'native',
      extra: {},
    });
  });

  it('what is set for one model goes before what is set for all', () => {
    const config = {
      temperature: 0,
      max_tokens: 100,
      settings: { 'openai:gpt-4.1': { temperature: 1, base_url: 'http://127.0.0.1:1/v1', price: { in: 9, out: 9 } } },
    };
    expect(resolveModel(name, settings({ config }))).toMatchObject({
      temperature: 1,
      maxTokens: 100,
      baseUrl: 'http://127.0.0.1:1/v1',
      price: { in: 9, out: 9 },
    });
    expect(resolveModel({ provider: 'openai', model: 'x' }, settings({ config })).temperature).toBe(0);
  });

  it('a key is that of the vault, else that of the environment, without blanks around it; else there is none', async () => {
    const environment = { OPENAI_API_KEY: ' from-the-environment\n' };
    expect(await resolveModel(name, settings({ environment, vault: { OPENAI_API_KEY: 'kept' } })).key()).toBe('kept');
    expect(await resolveModel(name, settings({ environment, vault: {} })).key()).toBe('from-the-environment');
    expect(await resolveModel(name, settings({ environment: { OPENAI_API_KEY: '' } })).key()).toBeNull();
  });
});

it('the vault gets the host that its key would go to, and its refusal ends the turn', async () => {
  await using server = await openWireServer(() => say('hi'));
  const asked: string[] = [];
  const environment = { ...environmentAt(server.url), OKA_MODEL: 'openai:m' };
  const models = modelsFrom({
    ...settings({ environment }),
    vault: (key, host) => {
      asked.push(`${key} ${host}`);
      throw new OkaError('not-permitted', `${key} may not go to ${host}`, { fix: 'Allow it.' });
    },
  });
  const model = models.for('planner');
  if (model === null) throw new Error('no model');
  const failure = await failureOf(turn(model, 'whole', ask('hi')));
  const host = new URL(server.url).host;
  expect(asked).toEqual([`OPENAI_API_KEY ${host}`]);
  expect(failure).toMatchObject({ message: `openai:m: OPENAI_API_KEY may not go to ${host}`, fix: 'Allow it.' });
  expect(server.requests).toHaveLength(0);
});

describe('models in config.json', () => {
  it.each([
    [{ use: 'gpt-5' }, 'use'],
    [{ roles: { boss: 'openai:m' } }, 'roles'],
    [{ temperature: 3 }, 'temperature'],
    [{ settings: { 'gpt-5': {} } }, 'settings'],
    [{ settings: { 'openai:m': { key: 'sk-…' } } }, 'settings.openai:m'],
    [{ timeout_seconds: 0 }, 'timeout_seconds'],
  ])('%j is refused at %s', (config, place) => {
    const parsed = ModelsConfig.safeParse(config);
    expect(parsed.error?.issues.map((issue) => issue.path.join('.')).join(' ')).toContain(place);
  });

  it('nothing has to be there', () => {
    expect(ModelsConfig.parse({})).toEqual({ roles: {}, settings: {}, ask_again_seconds: 5, calls_per_answer: 32 });
  });
});

it('the SDK is loaded with the first call, not with the program', () => {
  const folder = join(import.meta.dirname, '../../../src/kit/models');
  const early = readdirSync(folder).filter((file) =>
    /^import (?!type\b)[^;]*from '(?:ai|@ai-sdk\/[a-z-]+)'/m.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(early).toEqual([]);
});
