import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSettingProblems } from '../../../src/kit/models/setting-problems.ts';
import { folder, type Given, settings } from './support.ts';

const problems = (given: Given) => findSettingProblems(settings(given));

describe('findSettingProblems', () => {
  it('finds nothing when no model is named, and when every named one can be called', async () => {
    expect(await problems({})).toEqual([]);
    expect(await problems({ environment: { OKA_MODEL: 'ollama:llama3.2' } })).toEqual([]);
    expect(await problems({ environment: { OKA_MODEL: 'openai:m', OPENAI_API_KEY: 'k' } })).toEqual([]);
    expect(await problems({ environment: { OKA_MODEL: 'anthropic:m' }, vault: { ANTHROPIC_API_KEY: 'k' } })).toEqual(
      [],
    );
  });

  it.each([
    ['openai:m', 'OPENAI_API_KEY'],
    ['anthropic:m', 'ANTHROPIC_API_KEY'],
  ])('%s without a key names %s', async (name, key) => {
    expect(await problems({ environment: { OKA_MODEL: name, [key]: '  ' } })).toEqual([
      { model: name, message: `there is no key for ${name}`, fix: expect.stringContaining(`oka secrets set ${key}`) },
    ]);
  });

  it('a server of one’s own needs no key, and recorded answers need none', async () => {
    const own = { OKA_MODEL: 'openai:m', OPENAI_BASE_URL: 'http://127.0.0.1:1234/v1' };
    expect(await problems({ environment: own })).toEqual([]);
    expect(await problems({ environment: { OKA_MODEL: 'anthropic:m', OKA_CASSETTE: 'replay' } })).toEqual([]);
  });

  it('a key that would be sent unencrypted is reported', async () => {
    const environment = { OKA_MODEL: 'custom:m', OKA_MODEL_URL: 'http://models.example/v1', OKA_MODEL_KEY: 'k' };
    expect(await problems({ environment })).toMatchObject([{ message: expect.stringContaining('unencrypted') }]);
  });

  it('every named model is checked once', async () => {
    const environment = { OKA_MODEL: 'planner=anthropic:m,critic=anthropic:m,executor=custom:x' };
    expect(await problems({ environment })).toMatchObject([
      { model: 'anthropic:m', fix: expect.stringContaining('ANTHROPIC_API_KEY') },
      { model: 'custom:x', fix: expect.stringContaining('OKA_MODEL_URL') },
    ]);
  });

  it('a name that cannot be read, and a mode of the cassettes that is none', async () => {
    expect(await problems({ environment: { OKA_MODEL: 'gpt-5', OKA_CASSETTE: 'rewind' } })).toMatchObject([
      { model: null, message: 'OKA_CASSETTE=rewind is not a known mode' },
      { model: null, message: 'OKA_MODEL: "gpt-5" names no provider' },
    ]);
  });

  it('a script that is not there, and a folder in its place', async () => {
    const at = folder();
    mkdirSync(join(at, 'folder.json'));
    writeFileSync(join(at, 'good.json'), '{"answers":[{"text":"hi"}]}');
    const found = (name: string) => problems({ environment: { OKA_MODEL: `scripted:${name}` }, folder: at });
    expect(await found('good.json')).toEqual([]);
    expect(await found('none.json')).toMatchObject([{ message: `${join(at, 'none.json')} is not a file` }]);
    expect(await found('folder.json')).toHaveLength(1);
  });
});
