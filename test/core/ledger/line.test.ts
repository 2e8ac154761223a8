import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLine, prevOf, seqOf, verifiedHash } from '../../../src/core/ledger/line.ts';
import { LineShape, type Event } from '../../../src/core/schema/event.ts';
import { sealRecord } from '../../support/ledger-samples.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

const zeros = '0'.repeat(64);
const bytesOf = (reason: string, seq = 7, prev = zeros): Buffer =>
  Buffer.from(recordOf(reason, seq, prev).slice(0, -1));

describe('a record', () => {
  it('is one line of JSON with its keys in a fixed order', () => {
    const text = recordOf('two\nlines "and" more');
    expect(text.indexOf('\n')).toBe(text.length - 1);
    const keys = ['seq', 'type', 'run', 'at', 'pen', 'cause', 'v', 'd', 'data', 'prev', 'hash'];
    expect(Object.keys(JSON.parse(text) as object)).toEqual(keys);
  });

  it('is read back as it was written, whatever its text holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), fc.integer({ min: 1 }), (reason, seq) => {
        const line = parseLine(bytesOf(reason, seq));
        expect(line).toMatchObject({ ...eventOf(reason, seq), d: 100, prev: zeros });
        expect(LineShape.parse(line)).toEqual(line);
      }),
    );
  });

  it('carries the hash of every byte before it', () => {
    const bytes = bytesOf('grün');
    const covered = bytes.subarray(0, bytes.indexOf(',"hash"'));
    expect(verifiedHash(bytes)).toBe(hash('sha256', covered));
    expect(parseLine(bytes).hash).toBe(verifiedHash(bytes));
  });

  it('tells its seq and the hash before it without being parsed', () => {
    const bytes = bytesOf('x', 123_456, 'a'.repeat(64));
    expect(seqOf(bytes)).toBe(123_456);
    expect(prevOf(bytes)).toBe('a'.repeat(64));
  });
});

describe('wholeHash', () => {
  it('is null when any byte is changed', () => {
    const bytes = bytesOf('some text');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verifiedHash(changed)).toBeNull();
    }
  });

  it('is null when anything is missing or added at the end', () => {
    const bytes = bytesOf('some text');
    for (let length = 0; length < bytes.length; length += 1) expect(verifiedHash(bytes.subarray(0, length))).toBeNull();
    expect(verifiedHash(Buffer.concat([bytes, Buffer.from(' ')]))).toBeNull();
  });
});

describe('seqOf', () => {
  it.each([
    '',
    '{',
    '{"seq":',
    '{"seq":,',
    '{"seq":12',
    '{"seq":0,',
    '{"seq":-1,',
    '{"seq":1.5,',
    '{"seq":1e3,',
    '{"seq":"1",',
    '{"seq": 1,',
    '{"seq":99999999999999999,',
    ' {"seq":1,',
    '\0\0\0\0\0\0\0\0\0\0',
  ])('is NaN for %j', (text) => expect(seqOf(Buffer.from(text))).toBeNaN());

  it('needs only the first bytes', () => {
    expect(seqOf(Buffer.from('{"seq":12,'))).toBe(12);
    expect(seqOf(Buffer.from(`{"seq":${Number.MAX_SAFE_INTEGER},`))).toBe(Number.MAX_SAFE_INTEGER);
  });
});

function recordOf(reason: string, seq = 7, prev = zeros): string {
  const event = eventOf(reason, seq);
  return sealRecord(event, 100, prev).text;
}

function eventOf(reason: string, seq: number): Event {
  return {
    seq,
    type: 'run.paused',
    run: 'r1',
    at: '2026-01-01T00:00:00.000Z',
    pen: 'run',
    cause: null,
    v: 1,
    data: { reason },
  };
}
