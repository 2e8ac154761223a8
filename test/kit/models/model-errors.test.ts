import { describe, expect, it } from 'vitest';
import { errorOf, ModelError, problem } from '../../../src/kit/models/model-errors.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';

const answered = (statusCode: number, responseBody = '', responseHeaders: Record<string, string> = {}): Error =>
  Object.assign(new Error('said so'), { name: 'AI_APICallError', statusCode, responseBody, responseHeaders });
const network = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });

describe('errorOf', () => {
  it.each([
    [401, '', 'no-key'],
    [403, '', 'no-key'],
    [402, '', 'unpaid'],
    [400, 'Your credit balance is too low', 'unpaid'],
    [404, '', 'unknown'],
    [400, 'The model `x` does not exist', 'unknown'],
    [413, '', 'context-too-long'],
    [400, 'maximum context length is 8192 tokens', 'context-too-long'],
    [500, 'the request exceeds the available context size', 'context-too-long'],
    [429, 'add a payment method at /account/billing to raise your limit', 'rate-limited'],
    [429, '{"error":{"code":"insufficient_quota"}}', 'unpaid'],
    [408, '', 'stalled'],
    [504, '', 'stalled'],
    [503, '', 'down'],
    [529, '', 'down'],
    [400, 'blocked by content_policy', 'refused'],
    [422, 'temperature must be at most 1', 'bad-request'],
    [301, '', 'bad-answer'],
  ])('a %i that says "%s" is %s', (status, body, kind) => {
    expect(errorOf(answered(status, body)).kind).toBe(kind);
  });

  it.each([
    ['ECONNREFUSED', 'down'],
    ['ENOTFOUND', 'down'],
    ['EAI_AGAIN', 'down'],
    ['ECONNRESET', 'down'],
    ['UND_ERR_SOCKET', 'down'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'down'],
    ['UND_ERR_HEADERS_TIMEOUT', 'stalled'],
    ['ETIMEDOUT', 'stalled'],
  ])('a connection that fails with %s is %s', (code, kind) => {
    expect(errorOf(network(code))).toMatchObject({ kind, temporary: true });
  });

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
    [{ 'retry-after': 'Tue, 01 Jan 2030 00:01:00 GMT', date: 'Tue, 01 Jan 2030 00:00:00 GMT' }, 60_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j asks to be left alone for %s ms', (headers, ms) => {
    expect(errorOf(answered(429, '', headers as Record<string, string>)).retryAfterMs).toBe(ms);
  });

  it.each([[undefined], [null], ['a string'], [7], [{}], [new Error('')], [{ cause: { cause: {} } }]])(
    'takes %j and still says something',
    (thrown) => {
      expect(errorOf(thrown)).toMatchObject({ kind: 'failed', temporary: false, message: expect.stringMatching(/./) });
    },
  );

  it('a circle of causes ends', () => {
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(errorOf(one).kind).toBe('failed');
  });

  it('an error of ours stays what it is, however deep it sits', () => {
    const own = new ModelError(problem('refused', 'no'));
    expect(errorOf(new Error('wrapped', { cause: own }))).toEqual(own.problem);
    const full = new OkaError('disk-full', 'no space left', { fix: 'Free some.' });
    expect(errorOf(new Error('wrapped', { cause: full }))).toMatchObject({
      message: 'no space left',
      fix: 'Free some.',
    });
    expect(own).toMatchObject({ code: 'model-refused', message: 'no', fix: expect.stringMatching(/./) });
  });
});
