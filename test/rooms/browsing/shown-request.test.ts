import { describe, expect, it } from 'vitest';
import { type BrowserRequest, describeRequest, showRequest } from '../../../src/rooms/browsing/shown-request.ts';

const request = (body: string | null, media = '', over: Partial<BrowserRequest> = {}): BrowserRequest => ({
  method: 'POST',
  url: 'https://shop.example/cart',
  headers: media === '' ? {} : { 'Content-Type': media },
  body: body === null ? null : Buffer.from(body),
  ...over,
});

describe('what a request would send', () => {
  it('is shown by field, whatever the form is written in', () => {
    const fields = [
      { name: 'name', value: 'Ada & Co' },
      { name: 'amount', value: '2' },
    ];
    const parts = fields.map(
      ({ name, value }) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    for (const asked of [
      request('name=Ada+%26+Co&amount=2', 'application/x-www-form-urlencoded'),
      request(`${parts.join('')}--b--\r\n`, 'multipart/form-data; boundary=b'),
      request('{"name":"Ada & Co","amount":2}', 'application/json; charset=utf-8'),
      request('', '', { method: 'GET', url: 'https://shop.example/search?name=Ada+%26+Co&amount=2' }),
    ])
      expect(showRequest(asked)).toMatchObject({ fields });
  });

  it('is shown as it is where it has no fields', () => {
    expect(showRequest(request('[1,2]', 'application/json'))).toMatchObject({ text: '[1,2]', bytes: 5 });
    expect(showRequest(request('hello', 'text/plain'))).toMatchObject({ text: 'hello' });
  });

  it('is not shown, and so cannot be said yes to, when a part of it is unknown or it is too long', () => {
    expect(showRequest(request(null))).toBeNull();
    expect(showRequest(request('x'.repeat(20_001)))).toBeNull();
  });

  it('is a line for a model', () => {
    const shown = showRequest(request('amount=2', 'application/x-www-form-urlencoded'));
    expect(shown === null ? '' : describeRequest(shown)).toBe('POST https://shop.example/cart with amount=2');
  });
});
