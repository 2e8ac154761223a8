import { describe, expect, it } from 'vitest';
import { builtInProviders } from '../../../src/kit/models/built-in-providers.ts';
import { nameOf, parseModelName, parseModelNames } from '../../../src/kit/models/model-name.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';

const KNOWN = builtInProviders.map(({ name }) => name);

describe('parseModelName', () => {
  it.each([
    ['openai:gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['anthropic:claude-sonnet-4-5', 'anthropic', 'claude-sonnet-4-5'],
    ['ollama:llama3.2:3b', 'ollama', 'llama3.2:3b'],
    ['custom:org/model=v2', 'custom', 'org/model=v2'],
    ['scripted:demo/script.json', 'scripted', 'demo/script.json'],
    ['  openai:gpt-4.1 ', 'openai', 'gpt-4.1'],
  ])('%s is %s’s %s', (text, provider, model) => {
    expect(parseModelName(text, KNOWN)).toEqual({ provider, model });
    expect(nameOf(parseModelName(text, KNOWN))).toBe(text.trim());
  });

  it.each([
    ['gpt-5', '"gpt-5" names no provider'],
    [':gpt-5', '":gpt-5" names no provider'],
    ['', '"" names no provider'],
    ['gemini:pro', 'there is no provider "gemini"'],
    ['openai:', '"openai:" names no model'],
    ['openai:two words', '"openai:two words" names no model'],
    [`${'x'.repeat(500)}:y`, `there is no provider "${'x'.repeat(80)}…"`],
  ])('"%s" is refused: %s', (text, message) => {
    expect(() => parseModelName(text, KNOWN)).toThrow(`OKA_MODEL: ${message}`);
  });

  it('says where the name stood and what to write', () => {
    const error = thrown(() => parseModelName('x', KNOWN, 'models.use in config.json'));
    expect(error).toMatchObject({ code: 'usage', message: expect.stringMatching(/^models.use in config.json: /) });
    expect(error.fix).toContain('anthropic:claude-sonnet-4-5');
  });
});

describe('parseModelNames', () => {
  it('takes one for everything and others for roles', () => {
    expect(parseModelNames('planner=anthropic:a, openai:b ,critic = ollama:c:d,', KNOWN)).toEqual({
      default: { provider: 'openai', model: 'b' },
      planner: { provider: 'anthropic', model: 'a' },
      critic: { provider: 'ollama', model: 'c:d' },
    });
  });

  it('takes none', () => {
    expect(parseModelNames(' ', KNOWN)).toEqual({});
  });

  it.each([
    ['openai:a,openai:b', 'two models are named for default'],
    ['critic=openai:a,critic=openai:a', 'two models are named for critic'],
    ['boss=openai:a', 'there is no role "boss"; there is planner, executor, critic'],
    ['planner=', '"" names no provider'],
  ])('"%s" is refused: %s', (text, message) => {
    expect(() => parseModelNames(text, KNOWN)).toThrow(message);
  });
});

function thrown(act: () => unknown): OkaError {
  try {
    act();
  } catch (error) {
    if (error instanceof OkaError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
