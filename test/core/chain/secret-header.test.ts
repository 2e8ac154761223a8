import { describe, expect, it } from 'vitest';
import { assertSecretHeader, toProxyHeader } from '../../../src/core/chain/secret-header.ts';

describe('a header with a place for a secret', () => {
  it.each([
    'Authorization',
    'Authorization: Bearer',
    'A: {}{}',
    'Host: {}',
    'Content-Length: {}',
    'Proxy-X: {}',
    ': {}',
    'A: {}\nB: c',
  ])('%j is none', (header) => {
    expect(() => assertSecretHeader(header)).toThrow('place for the value');
  });

  it('is filled with the value as it is, or encoded for Basic', () => {
    for (const header of ['Authorization: Bearer {}', 'X-Api-Key: {}']) assertSecretHeader(header);
    expect(toProxyHeader('X-Api-Key: {}', 'a$&b ', ['h.test'])).toEqual({
      name: 'X-Api-Key',
      value: 'a$&b',
      hosts: ['h.test'],
    });
    const basic = Buffer.from('x-access-token:abc').toString('base64');
    expect(toProxyHeader('Authorization: Basic x-access-token:{}', 'abc', []).value).toBe(`Basic ${basic}`);
  });

  it('takes no value that would end its line', () => {
    expect(() => toProxyHeader('A: {}', 'a\r\nB: c', [])).toThrow('no header');
  });
});
