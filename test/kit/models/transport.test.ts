import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/kit/models/model-errors.ts';
import { modelsFrom } from '../../../src/kit/models/role-models.ts';
import { guardedFetch, startSilenceTimer } from '../../../src/kit/models/transport.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { raw, say, stall } from '../../support/wire-server-reply.ts';
import { ask, environmentAt, failureOf, modelAt, PROVIDERS, settings, turn, WAYS } from './support.ts';

describe('carefulFetch', () => {
  it.each(PROVIDERS)('a key of %s never goes on to where a server points', async (provider) => {
    await using elsewhere = await openWireServer(() => say('give me your key'));
    await using server = await openWireServer(({ path }) =>
      raw('', { status: 307, headers: { location: `${elsewhere.url}${path}` } }),
    );
    const failure = await failureOf(turn(modelAt(server.url, `${provider}:m`), 'whole', ask('hi')));
    expect(failure.message).toContain('answered 307');
    expect(elsewhere.requests).toHaveLength(0);
  });

  it.each(WAYS)('an answer without end is cut (%s)', async (way) => {
    await using server = await openWireServer(() => say('x'.repeat(200_000)));
    const environment = { ...environmentAt(server.url), OKA_MODEL: 'openai:m' };
    const small = modelsFrom(settings({ environment }), { fetch: guardedFetch(fetch, 50_000) }).for('planner');
    if (small === null) throw new Error('no model');
    const failure = await failureOf(turn(small, way, ask('hi')));
    expect(failure.message).toContain('answer is too large');
  });
});

describe('listening', () => {
  it('a response of the model restarts the timer, and the end stops it', () => {
    const caller = new AbortController();
    const silence = startSilenceTimer(caller.signal, 60_000);
    silence.restart();
    expect(silence.signal.aborted).toBe(false);
    caller.abort(new ModelError({ kind: 'stopped', message: 'x', fix: 'y', temporary: false }));
    expect(silence.signal.aborted).toBe(true);
    silence.end();
  });

  it.each(WAYS)('a turn that was aborted before it started sends no request (%s)', async (way) => {
    await using server = await openWireServer(() => say('hi'));
    const failure = await failureOf(turn(modelAt(server.url, 'openai:m'), way, ask('hi'), AbortSignal.abort()));
    expect(failure.problem.kind).toBe('stopped');
    expect(server.requests).toHaveLength(0);
  });

  it.each(WAYS)('a turn that is aborted closes its connection (%s)', async (way) => {
    await using server = await openWireServer(() => stall('something at first, then silence'));
    const stop = new AbortController();
    const failed = failureOf(turn(modelAt(server.url, 'anthropic:m'), way, ask('hi'), stop.signal));
    await server.asked(1);
    stop.abort();
    await failed;
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(0);
  });
});
