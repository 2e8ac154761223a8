import { describe, expect, it } from 'vitest';
import { builtInProviders } from '../../../src/kit/models/built-in-providers.ts';
import { costOf, priceOf } from '../../../src/kit/models/prices.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { say } from '../../support/wire-server-reply.ts';
import { ask, modelAt, PROVIDERS, turn, WAYS } from './support.ts';

describe('prices', () => {
  it('a release costs what its model costs; an unknown name costs nobody knows what', () => {
    expect(priceOf('openai:gpt-4.1-2025-04-14')).toEqual({ in: 2, out: 8, cached_in: 0.5 });
    expect(priceOf('anthropic:claude-opus-4-1-20250805')).toEqual({ in: 15, out: 75 });
    expect(priceOf('openai:gpt-4.1-ultra')).toBeNull();
    expect(priceOf('custom:gpt-4.1')).toBeNull();
    expect(builtInProviders.find(({ name }) => name === 'ollama')?.priceOf('anything')).toEqual({ in: 0, out: 0 });
  });

  it('what was cached costs less where that is known', () => {
    const tokens = { in: 1_000_000, out: 100_000, cached: 400_000 };
    expect(costOf(tokens, { in: 2, out: 8, cached_in: 0.5 })).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8);
    expect(costOf(tokens, { in: 2, out: 8 })).toBeCloseTo(2.8);
  });

  it.each(WAYS)('a known model reports what a turn cost (%s)', async (way) => {
    await using server = await openWireServer(() => say('ok', { usage: { in: 1000, out: 100, cached: 400 } }));
    const answer = await turn(modelAt(server.url, 'openai:gpt-4.1'), way, ask('hi'));
    expect(answer.usage).toMatchObject({ tokens_in: 1000, tokens_out: 100 });
    expect(answer.usage.usd).toBeCloseTo((600 * 2 + 400 * 0.5 + 100 * 8) / 1e6, 9);
    const other = await turn(modelAt(server.url, 'anthropic:claude-sonnet-4-5'), way, ask('hi'));
    expect(other.usage).toMatchObject({ tokens_in: 1000, tokens_out: 100 });
    expect(other.usage.usd).toBeCloseTo((1000 * 3 + 100 * 15) / 1e6, 9);
  });

  it.each(PROVIDERS)(
    '%s: a price in config.json goes before what is known, and no price is no cost',
    async (provider) => {
      await using server = await openWireServer(() => say('ok', { usage: { in: 1000, out: 100 } }));
      const name = `${provider}:mine`;
      const config = { settings: { [name]: { price: { in: 1, out: 10 } } } };
      expect((await turn(modelAt(server.url, name, { config }), 'whole', ask('hi'))).usage.usd).toBeCloseTo(0.002);
      const unknown = await turn(modelAt(server.url, name), 'whole', ask('hi'));
      expect(unknown.usage.usd).toBe(provider === 'ollama' ? 0 : undefined);
    },
  );
});
