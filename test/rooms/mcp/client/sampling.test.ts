import { describe, expect, it } from 'vitest';
import {
  openAccount,
  reserveSampling,
  toModelInput,
  toSamplingAnswer,
} from '../../../../src/rooms/mcp/client/sampling.ts';

const ask = (text: string, maxTokens = 10, system = '') => ({
  system,
  maxTokens,
  messages: [{ role: 'user' as const, text }],
});

describe('a server that asks the model', () => {
  it('P2 gets at most as many answers and tokens a call as its entry allows', () => {
    const account = openAccount({ calls: 2, tokens: 25 });
    expect(reserveSampling(account, ask('a', 20))).toBe(20);
    expect(reserveSampling(account, ask('b', 20))).toBe(5);
    expect(reserveSampling(account, ask('c', 1))).toContain('used up');
    const short = openAccount({ calls: 5, tokens: 10 });
    expect(reserveSampling(short, ask('a', 1e9))).toBe(10);
    expect(reserveSampling(short, ask('b', 1))).toContain('used up');
  });

  it('P2 pays nothing for a request that is not usable', () => {
    const account = openAccount({ calls: 1, tokens: 10 });
    expect(reserveSampling(account, { system: '', messages: [], maxTokens: 1 })).toContain('between 1 and');
    expect(reserveSampling(account, ask('x'.repeat(300_000)))).toContain('between 1 and');
    expect(account).toEqual({ calls: 1, tokens: 10 });
  });

  it('P1 sends the model its own words and nothing else', () => {
    expect(toModelInput('notes', ask('Say it.', 9, 'Be short.'), 9)).toEqual({
      role: 'executor',
      system: expect.stringMatching(/^You answer a program, the server notes\.[^]*Be short\.$/) as string,
      messages: [{ role: 'user', text: 'Say it.' }],
      max_tokens: 9,
    });
  });

  it('is answered with an error when the model was not asked', () => {
    expect(() => toSamplingAnswer({ status: 'denied', error: 'the budget of the run is used up' })).toThrow(
      'the model could not be asked',
    );
  });
});
