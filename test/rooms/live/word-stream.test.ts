import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openWordStream } from '../../../src/rooms/live/word-stream.ts';
import { redactCut } from '../../../src/core/guard/redact-truncated.ts';
import { redactorFor } from '../../../src/core/guard/redact.ts';

const VALUES = [
  { name: 'phrase', value: 'correct horse battery staple' },
  { name: 'key', value: 'zq81-kk2-98vvt-0a' },
];
const redact = redactorFor(() => VALUES, redactCut);

it('however an answer is cut, what is published has no third of a secret, and is the beginning of the redacted text', () => {
  const words = fc.array(
    fc.constantFrom('a ', 'word ', 'Hello, ', '\n', 'correct ', ...VALUES.map(({ value }) => value), ' ghp_'),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(words, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }), (parts, sizes) => {
      const text = `${parts.join('')}\n`;
      const stream = openWordStream(redact);
      let published = '';
      for (let [at, turn] = [0, 0]; at < text.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        published += stream(text.slice(at, at + size));
        at += size;
      }
      for (const { value } of VALUES)
        for (let at = 0; at + value.length / 2 <= value.length; at += 1)
          expect(published).not.toContain(value.slice(at, at + Math.ceil(value.length / 2)));
    }),
  );
});

it('a text without secrets is published completely', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 9 }), (text, size) => {
      fc.pre(redact(text) === text && !text.includes('redacted'));
      const stream = openWordStream((given) => given);
      let published = '';
      for (let at = 0; at < text.length; at += size) published += stream(text.slice(at, at + size));
      expect(published + stream('\n')).toBe(`${text}\n`);
    }),
  );
});
