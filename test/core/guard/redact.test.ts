import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactShapes } from '../../../src/core/guard/redact.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

type Sample = [kind: string, secret: string];

/** Put together here, so that no file of the project holds anything that looks like a secret. */
const tokens: Sample[] = [
  ['api-key', 'sk-' + 'aB3x'.repeat(12)],
  ['api-key', 'sk-' + '0f'.repeat(16)],
  ['api-key', 'sk-or-v1-' + '0f'.repeat(32)],
  ['api-key', 'sk-proj-' + 'aB3_-'.repeat(8)],
  ['api-key', 'sk-ant-api03-' + 'a'.repeat(93)],
  ['github-token', 'ghp_' + 'a'.repeat(36)],
  ['github-token', 'gho_' + 'b'.repeat(36)],
  ['github-token', 'ghu_' + 'c'.repeat(36)],
  ['github-token', 'ghs_' + 'd'.repeat(36)],
  ['github-token', 'ghr_' + 'e'.repeat(36)],
  ['github-token', 'github_pat_' + 'a'.repeat(22) + '_' + 'b'.repeat(59)],
  ['gitlab-token', 'glpat-' + 'a'.repeat(20)],
  ['aws-key', 'AKIA' + 'A'.repeat(16)],
  ['aws-key', 'ASIA' + 'B'.repeat(16)],
  ['google-key', 'AIza' + 'a'.repeat(35)],
  ['slack-token', 'xoxb-' + '1'.repeat(12) + '-' + 'a'.repeat(24)],
  ['slack-token', 'xoxp-' + '2'.repeat(12) + '-' + '3'.repeat(12) + '-' + '0f'.repeat(16)],
  ['npm-token', 'npm_' + 'a'.repeat(36)],
  ['stripe-key', 'sk_live_' + 'a'.repeat(24)],
  ['stripe-key', 'rk_test_' + 'a'.repeat(24)],
  ['age-key', 'AGE-SECRET-KEY-1' + 'A'.repeat(58)],
  ['jwt', 'eyJ' + 'a'.repeat(5000) + '.' + 'b'.repeat(5000) + '.' + 'c'.repeat(43)],
  ['jwt', 'eyJ' + 'a'.repeat(20) + '.eyJ' + 'b'.repeat(20) + '.' + 'c'.repeat(43)],
];
const dashes = '-'.repeat(5);
const keys: Sample[] = ['PRIVATE KEY', 'RSA PRIVATE KEY', 'OPENSSH PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'].map(
  (label) => [
    'private-key',
    [
      `${dashes}BEGIN ${label}${dashes}`,
      ...Array<string>(3).fill('a'.repeat(64)),
      `${dashes}END ${label}${dashes}`,
    ].join('\n'),
  ],
);
const samples = [...tokens, ...keys];

/** What may stand right before and right behind a secret. JSON text writes most of it as an escape. */
const seams = [
  ' ',
  '\n',
  '\t',
  '\r',
  '\b',
  '\f',
  '"',
  '\\',
  '/',
  '\u2028',
  '\u0001',
  '\ud800',
  '=',
  ':',
  ',',
  "'",
  'ü',
  '.',
];

describe('in plain text', () => {
  it.each(samples)('takes out a %s, leaving the rest as it is (sample %#)', (kind, secret) => {
    const gone = `[redacted:${kind}]`;
    expect(redactShapes(secret)).toBe(gone);
    expect(redactShapes(`${secret} at the start`)).toBe(`${gone} at the start`);
    expect(redactShapes(`at the end ${secret}`)).toBe(`at the end ${gone}`);
    for (const before of seams)
      for (const behind of seams)
        expect(redactShapes(`a${before}${secret}${behind}z`)).toBe(`a${before}${gone}${behind}z`);
  });

  it('takes out all of them, each by its kind', () => {
    const text = samples.map(([, secret]) => `<${secret}>`).join(' and ');
    expect(redactShapes(text)).toBe(samples.map(([kind]) => `<[redacted:${kind}]>`).join(' and '));
  });

  it('takes out the same secret as often as it is there', () => {
    const secret = 'ghp_' + 'a'.repeat(36);
    expect(redactShapes(`${secret} ${secret}\n${secret}`)).toBe(
      '[redacted:github-token] [redacted:github-token]\n[redacted:github-token]',
    );
  });

  it('finds nothing more in what it has redacted', () => {
    const once = redactShapes(samples.map(([, secret]) => secret).join('\n'));
    expect(redactShapes(once)).toBe(once);
  });
});

describe('in JSON text', () => {
  it.each(samples)('takes out a %s behind and before any escape, and JSON stays JSON (sample %#)', (kind, secret) => {
    for (const before of ['', ...seams])
      for (const behind of ['', ...seams]) {
        const made = (middle: string) => ({ [`n${before}`]: [`${before}${middle}${behind}`, 1], rest: 'as it was' });
        expect(JSON.parse(redactShapes(JSON.stringify(made(secret))))).toEqual(made(`[redacted:${kind}]`));
      }
  });

  it.each(['\\n', '\\t', '\\"', '\\\\', '\\/', '\\u2028', '\\u000A'])('finds a token right behind %s', (escape) => {
    for (const [kind, secret] of tokens)
      expect(redactShapes(`{"a":"x${escape}${secret}${escape}y"}`)).toBe(
        `{"a":"x${escape}[redacted:${kind}]${escape}y"}`,
      );
  });

  it.each(samples)('takes out a %s that stands in JSON within JSON (sample %#)', (kind, secret) => {
    const made = (middle: string) => JSON.stringify({ log: JSON.stringify({ line: `a\n${middle}\n"b"` }) });
    expect(redactShapes(made(secret))).toBe(made(`[redacted:${kind}]`));
  });

  it('takes out a secret used as a name', () => {
    const secret = 'npm_' + 'a'.repeat(36);
    expect(redactShapes(JSON.stringify({ [secret]: 1 }))).toBe('{"[redacted:npm-token]":1}');
  });
});

describe('a private key', () => {
  const begin = `${dashes}BEGIN PRIVATE KEY${dashes}`;
  const end = `${dashes}END PRIVATE KEY${dashes}`;
  const body = `${'a'.repeat(64)}\n${'b'.repeat(64)}\n`;

  it('is taken out with Windows line ends, headers and indentation', () => {
    const lines = [begin, 'Proc-Type: 4,ENCRYPTED', '', 'a'.repeat(64), end];
    expect(redactShapes(`x\r\n  ${lines.join('\r\n  ')}\r\ny`)).toBe('x\r\n  [redacted:private-key]\r\ny');
  });

  it('ends at its own end: two of them leave the text between', () => {
    const whole = `${begin}\n${body}${end}`;
    expect(redactShapes(`1\n${whole}\n2\n${whole}\n3`)).toBe('1\n[redacted:private-key]\n2\n[redacted:private-key]\n3');
  });

  it('is taken out up to the end of the text when its end is cut off', () => {
    expect(redactShapes(`before\n${begin}\n${body}`)).toBe('before\n[redacted:private-key]');
    expect(redactShapes(`before\n${begin}`)).toBe('before\n[redacted:private-key]');
  });

  it('is taken out up to the end of its JSON string when its end is cut off', () => {
    const value = { a: `x\n${begin}\n${body}`, b: ['as it was', `${begin}\\`, `${begin}\\\\`], c: 'y' };
    expect(JSON.parse(redactShapes(JSON.stringify(value)))).toEqual({
      a: 'x\n[redacted:private-key]',
      b: ['as it was', '[redacted:private-key]', '[redacted:private-key]'],
      c: 'y',
    });
  });

  it('leaves an escaped quote behind it whole, cut off or not', () => {
    for (const key of [`${begin}\n${body}${end}`, `${begin}\n${body}`, begin]) {
      const made = (middle: string) => JSON.stringify({ a: `say "${middle}" and "more"` });
      expect(redactShapes(made(key))).toBe(made('[redacted:private-key]'));
    }
  });

  it('does not begin in one JSON string and end in another', () => {
    const value = [`${begin}\nabc`, 'between', `abc\n${end}`];
    expect(JSON.parse(redactShapes(JSON.stringify(value)))).toEqual(['[redacted:private-key]', 'between', value[2]]);
  });

  it('is taken out when it is large', () => {
    const large = `${begin}\n${`${'a'.repeat(64)}\n`.repeat(300)}${end}`;
    const value = { a: `x\n${large}\ny` };
    expect(JSON.parse(redactShapes(JSON.stringify(value)))).toEqual({ a: 'x\n[redacted:private-key]\ny' });
  });

  it('is private: public keys and certificates stay', () => {
    const text = ['PUBLIC KEY', 'CERTIFICATE', 'PGP PUBLIC KEY BLOCK']
      .map((label) => `${dashes}BEGIN ${label}${dashes}\n${body}${dashes}END ${label}${dashes}`)
      .join('\n');
    expect(redactShapes(text)).toBe(text);
  });
});

describe('a token', () => {
  it.each(tokens.filter(([, secret]) => secret.length < 512))(
    'is found behind a dash: %s (sample %#)',
    (kind, secret) => {
      expect(redactShapes(`key-${secret}`)).toBe(`key-[redacted:${kind}]`);
    },
  );
});

describe('look-alikes', () => {
  it.each([
    '',
    'task-management-system-of-the-day',
    'risk-assessment-of-the-whole-year',
    'disk-usage-of-the-home-directory',
    'desk-abcdefghijklmnopqrstuvwxyz',
    'sk-short',
    'sk-learn-experiments-2026',
    'sk-learn-random-forest-classifier-experiments-2026-11',
    'sk-experimentswithoutanydigitinthem',
    'sk-proj-plan-for-the-next-quarter',
    'sk-ant-colony-optimisation-of-everything-that-can-be-optimised-by-a-colony-of-ants-in-2026-and-later',
    'ghp_' + 'a'.repeat(35),
    'github_pat_' + 'a_'.repeat(30),
    'xoxb-the-band-of-the-year-2026',
    'AKIA' + '0189'.repeat(4),
    'sk_test_' + 'a'.repeat(23),
    'AGE-SECRET-KEY-1' + 'A'.repeat(57),
    '550e8400-e29b-41d4-a716-446655440000',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    'eyJ',
    'eyJhbGciOiJub25lIn0',
    'eyJhbGciOiJub25lIn0.short.x',
    'VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==',
    'npm_config_registry',
    'npm_lifecycle_event=test npm_package_version=1.0.0',
    'ghp_short',
    'github_pattern_matching_in_action',
    'glpat-short',
    'AKIAshort',
    'AKIA' + 'A'.repeat(17),
    'XAKIA' + 'A'.repeat(16),
    'AIza',
    'xoxo-love',
    'sk_live_',
    'risk_test_' + 'a'.repeat(20),
    'AGE-SECRET-KEY-1',
    'age1' + 'q'.repeat(58),
    '----- BEGIN -----',
    `${dashes}BEGIN CERTIFICATE${dashes}`,
    'https://example.org/a/b-c_d?e=f#g',
    '[redacted:api-key]',
  ])('%j stays as it is', (text) => {
    expect(redactShapes(text)).toBe(text);
    expect(redactShapes(`a ${text}\n${text}, z`)).toBe(`a ${text}\n${text}, z`);
    expect(redactShapes(JSON.stringify({ text: `\n${text}\t` }))).toBe(JSON.stringify({ text: `\n${text}\t` }));
  });

  it('leaves a word that an escape only seems to cut', () => {
    const texts = ['\task-management-system-of-the-day', '\risk-assessment-of-the-whole-year'];
    expect(redactShapes(JSON.stringify(texts))).toBe(JSON.stringify(texts));
  });
});

describe('hostile text', () => {
  it.each(['-eyJ', '-eyJaaaaaaaaa.', 'eyJ', '-sk-', '-ghp_', 'AKIA', `${dashes}BEGIN `, '\\u0000', '-----'])(
    'is gone through in one pass when it repeats %j',
    (piece) => {
      const text = `${piece.repeat(200_000 / piece.length)}"`;
      const secret = 'ghp_' + 'a'.repeat(36);
      expect(redactShapes(`${text}${secret}`)).toMatch(/"\[redacted:github-token\]$/);
    },
  );
});

describe('any JSON', () => {
  /** A string with secrets in it: pieces of text, with a secret between every two. */
  const seam = fc.constantFrom(...seams);
  const planted = fc
    .array(fc.tuple(fc.string({ unit: anyCodePoint }), seam, fc.constantFrom(...samples), seam), { maxLength: 3 })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.string({ unit: anyCodePoint })))
    .map(([parts, end]) => ({
      dirty: parts.map(([text, before, [, secret], behind]) => text + before + secret + behind).join('') + end,
      clean:
        parts.map(([text, before, [kind], behind]) => `${text}${before}[redacted:${kind}]${behind}`).join('') + end,
      secrets: parts.map(([, , [, secret]]) => secret),
    }));
  type Planted = { dirty: unknown; clean: unknown; secrets: string[] };
  const value = fc.letrec<{ any: Planted; list: Planted; map: Planted }>((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, planted, plain(), tie('list'), tie('map')),
    list: fc.array(tie('any'), { maxLength: 4 }).map((items) => ({
      dirty: items.map(({ dirty }) => dirty),
      clean: items.map(({ clean }) => clean),
      secrets: items.flatMap(({ secrets }) => secrets),
    })),
    map: fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }).map((fields) => ({
      dirty: mapped(fields, ({ dirty }) => dirty),
      clean: mapped(fields, ({ clean }) => clean),
      secrets: Object.values(fields).flatMap(({ secrets }) => secrets),
    })),
  })).any;

  it('stays JSON, loses every secret planted in it and nothing else', () => {
    fc.assert(
      fc.property(value, ({ dirty, clean, secrets }) => {
        const text = redactShapes(JSON.stringify(dirty));
        expect(JSON.parse(text)).toEqual(clean);
        for (const secret of secrets) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
      { numRuns: 500 },
    );
  });

  function plain() {
    return fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)).map((leaf) => ({
      dirty: leaf,
      clean: leaf,
      secrets: [],
    }));
  }
});

function mapped<From, To>(fields: Record<string, From>, change: (field: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));
}
