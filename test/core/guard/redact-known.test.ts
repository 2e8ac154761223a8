import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unitsOf } from '../../../src/core/guard/redact-forms.ts';
import { redactorFor, redactShapes } from '../../../src/core/guard/redact.ts';
import { forms, shows } from '../../support/secret-forms.ts';
import { casesOf, timesOf } from '../../support/thorough.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

/** Always the same cases; SEED=… tries others. */
const parameters = { numRuns: timesOf(400, 15), seed: Number(process.env['SEED'] ?? 20_261_115) };

const samples = [
  'hunter2',
  'correct horse battery staple',
  'Tr0ub4dor&3',
  'a+b/c=d e?f#g%h',
  'pässwörd-ünïcode',
  '密码是这个东西吧',
  '😀😃😄😁😆😅🤣😂',
  'quote"back\\slash\nline\ttab',
  'nothing\\new\\under\\u0041\\x41',
  '%41%42%43 percent',
  'deadbeefcafe',
  'user:p@ss,word;{json:"x"}',
  `${'MIIBVgIBADANBgkq'.repeat(8)}\n${'hkiG9w0BAQEFAASC'.repeat(20)}`,
  `${'x'.repeat(40)}9`,
];
const around = [
  ['', ''],
  ['key=', ';'],
  ['\n', '\n'],
  ['100% ', ' 50%'],
  ['/', '\\'],
] as const;

const knowing = (...values: string[]) => {
  const known = values.map((value, index) => ({ name: index === 0 ? 'K' : `K${index}`, value }));
  return redactorFor(() => known);
};

describe.each(forms.map((form, index) => ({ ...form, index })))('a known value, $name,', (form) => {
  const { encode, index } = form;
  it.each(casesOf(samples, (_, sample) => (sample + index) % 6 === 0))(
    'is taken out of text and of JSON, which stays JSON: %j',
    (value) => {
      const redact = knowing(value);
      for (const [before, behind] of around) {
        const text = `${before}${encode(value)}${behind}`;
        const clean = redact(text);
        expect(clean).toContain('[redacted:K]');
        expect(shows(clean, value)).toBe(false);
        const json = redact(JSON.stringify({ log: [text, 1], rest: 'as it was' }));
        expect(JSON.parse(json)).toMatchObject({
          log: [expect.stringContaining('[redacted:K]'), 1],
          rest: 'as it was',
        });
        expect(shows(json, value)).toBe(false);
      }
    },
  );
});

describe('a known value that somebody hides', () => {
  const value = 'correct-horse-8battery';
  const bytes = Buffer.from(value);
  const little = Buffer.from(value, 'utf16le');
  const hidden: Record<string, string> = {
    dashed: Array.from(value).join('-'),
    'in decimal numbers': [...bytes].join(' '),
    'in decimal numbers with commas': [...bytes].join(', '),
    'in full width': value.replaceAll(/[!-~]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + 0xfe_e0)),
    reversed: Array.from(value).toReversed().join(''),
    'in UTF-16, as hex': little.toString('hex'),
    'in UTF-16, as base64': little.toString('base64'),
    'in UTF-16 of the other order, as hex': Buffer.from(little).swap16().toString('hex'),
    // As base64.a85encode and base64.b85encode of Python write it, the last one with two bytes before it.
    'in ascii85': '@rHC.ARfg6BQ%p4AM#lN@<?U&Ed7',
    'in base85': 'V{dYDWn*+LXm4_JWi2>jVRUq5a(M',
    'in base85 with something before it': 'cz9!Pa&l#3bS-Faa&u)ZIAURRbY*gR',
  };

  it.each(Object.entries(hidden))('%s', (_, text) => {
    expect(knowing(value)(`before ${text} behind`)).not.toContain(text.slice(4, -4));
  });
});

describe('around a known value', () => {
  it('everything else stays as it is', () => {
    const redact = knowing('hunter2-and-more');
    expect(redact('a hunter2-and-more, b')).toBe('a [redacted:K], b');
    expect(redact('{"a":"hunter2-and-more","b":"\\u00e4\\n"}')).toBe('{"a":"[redacted:K]","b":"\\u00e4\\n"}');
    expect(redact('hunter2-and-less')).toBe('hunter2-and-less');
    expect(redact('hunter2 and')).toBe('hunter2 and');
  });

  it('a text that only comes close is not touched', () => {
    const redact = knowing('production', 'correcthorse');
    for (const text of ['introduction', 'reproducing', 'product ion', 'correct house', 'incorrect hose'])
      expect(redact(text)).toBe(text.includes('product ion') ? '[redacted:K]' : text);
  });

  it('several are distinguished by name, old values by the name they belonged to', () => {
    const known = [
      { name: 'A', value: 'first-value-of-a' },
      { name: 'A', value: 'second-value-of-a' },
      { name: 'B', value: 'only-value-of-b' },
    ];
    expect(redactorFor(() => known)('first-value-of-a second-value-of-a only-value-of-b')).toBe(
      '[redacted:A] [redacted:A] [redacted:B]',
    );
  });

  it('a value that becomes known is taken out from then on', () => {
    let known: { name: string; value: string }[] = [];
    const redact = redactorFor(() => known);
    expect(redact('it is sesame-open')).toBe('it is sesame-open');
    known = [{ name: 'DOOR', value: 'sesame-open' }];
    expect(redact('it is sesame-open')).toBe('it is [redacted:DOOR]');
  });

  it('what has the shape of a secret goes as well', () => {
    const token = 'ghp_' + 'a'.repeat(36);
    expect(knowing('sesame-open')(`sesame-open ${token}`)).toBe(`[redacted:K] ${redactShapes(token)}`);
  });

  it('an end that could begin an escape of a URL does not hide it', () => {
    for (const value of ['####-%', 'ab-cd-ef%4', 'longer-than-this-%'])
      for (const behind of ['00', '\n00', '1', ' f7'])
        expect(knowing(value)(JSON.stringify([value + behind]))).toBe(JSON.stringify([`[redacted:K]${behind}`]));
  });

  it('nothing more is found in what was redacted', () => {
    const redact = knowing(...samples);
    const once = redact(samples.flatMap((value) => forms.map(({ encode }) => encode(value))).join('\n'));
    expect(redact(once)).toBe(once);
  });
});

describe('in JSON', () => {
  const redact = knowing('sesame-open-42', '123456789012');

  it('a value that runs over the border of two strings is taken out on both sides', () => {
    expect(redact(JSON.stringify({ chunks: ['it is sesame', '-open-42 and', 'more'] }))).toBe(
      '{"chunks":["it is [redacted:K]","[redacted:K] and","more"]}',
    );
  });

  it('a number that is a known value becomes 0, so that a number stays one', () => {
    expect(redact('{"pin":123456789012,"n":5}')).toBe('{"pin":0,"n":5}');
    expect(redact('{"text":"123456789012"}')).toBe('{"text":"[redacted:K1]"}');
  });

  it('a value used as a key is taken out', () => {
    expect(redact('{"sesame-open-42":{"a":1}}')).toBe('{"[redacted:K]":{"a":1}}');
  });

  it('a file that is JSON but not as JSON.stringify writes it keeps its format', () => {
    expect(redact('{\n  "n": 1.0,\n  "a": "sesame-open-42"\n}\n')).toBe('{\n  "n": 1.0,\n  "a": "[redacted:K]"\n}\n');
  });
});

describe('a part of a long value', () => {
  const key = Array.from({ length: 40 }, (_, index) => `line-${index}-${'abcdefgh'.slice(index % 7)}${index * 7919}`);

  it('is taken out too', () => {
    const redact = knowing(key.join('\n'));
    const head = redact(`head:\n${key.slice(0, 20).join('\n')}\n`);
    expect(head.match(/line-\d+-/g)?.length ?? 0).toBeLessThan(4);
  });
});

describe('large and hostile text', () => {
  it.each(['\\', '%25', '%', 'a\n', 'sesame', '\\u0073', '%73', '"', 's e s a m e '])(
    'is gone through in one pass when it repeats %j',
    (piece) => {
      const text = `${piece.repeat(timesOf(300_000, 100_000) / piece.length)} sesame-open-42`;
      expect(knowing('sesame-open-42')(text).endsWith('sesame-open-42')).toBe(false);
    },
  );

  it('a value is found on the border of the pages that are searched', () => {
    const redact = knowing('sesame-open-42');
    for (let shift = 0; shift < 20; shift += 1)
      expect(redact(`${'x'.repeat(65_536 - shift)}sesame-open-42 y`).endsWith('[redacted:K] y')).toBe(true);
  });
});

describe('any value in any form', () => {
  const value = fc
    .oneof(
      fc.string({ minLength: 6, maxLength: 60 }),
      fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 }),
      fc.base64String({ minLength: 8, maxLength: 100 }),
      fc.stringMatching(/^[0-9a-f]{16,64}$/),
      fc.stringMatching(/^(?:[a-z]{3,8} ){3,6}[a-z]+$/),
    )
    .map((text) => text.toWellFormed())
    .filter((text) => unitsOf(text) >= 6 && !text.includes('\0'));
  const words = fc.stringMatching(/^[ -~\n\t]{0,60}$/);

  it('is taken out wherever it stands, and JSON stays JSON', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...forms), words, words, (secret, form, before, behind) => {
        const redact = knowing(secret);
        const text = `${before}\n${form.encode(secret)}\n${behind}`;
        expect(redact(text)).toContain('[redacted:K]');
        expect(shows(redact(text), secret)).toBe(false);
        const json = redact(JSON.stringify({ out: { text, more: [before] } }));
        expect(JSON.parse(json)).toHaveProperty('out.text', expect.stringContaining('[redacted:K]'));
        expect(shows(json, secret)).toBe(false);
      }),
      parameters,
    );
  });

  it('text without it stays as it is', () => {
    const plain = fc.string({ unit: anyCodePoint, maxLength: 300 });
    const redact = knowing('zq9!kx7@wv3#pn5$', 'correct horse battery staple');
    fc.assert(
      fc.property(plain, (text) => {
        expect(redact(text)).toBe(text);
        expect(redact(JSON.stringify({ text }))).toBe(JSON.stringify({ text }));
      }),
      parameters,
    );
  });
});
