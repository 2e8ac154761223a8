import { describe, expect, it } from 'vitest';
import { globSync, readFileSync } from 'node:fs';
import { grantedBy, grantsOf, hostGrantFor, personalIn } from '../../../src/core/guard/grants.ts';

const ofText = (text: string) => grantsOf([{ by: 'person', from: 'the task', text }]);

describe('a text of a person', () => {
  it('opens exactly the addresses that it has, and says so', () => {
    const grants = ofText('Read https://good.example/visa?a=1, and (http://other.example/).');
    expect(grantedBy(grants, 'https://good.example/visa?a=1')).toBe('an address in the task');
    expect(grantedBy(grants, 'http://other.example/')).not.toBeNull();
  });

  it.each([
    'https://good.example/',
    'https://good.example/visa?a=2',
    'https://good.example/visa?a=1&b',
    'http://good.example/visa?a=1',
    'https://good.example:8443/visa?a=1',
  ])('does not open %s beside it', (url) => {
    expect(grantedBy(ofText('Read https://good.example/visa?a=1'), url)).toBeNull();
  });

  it.each([
    ['Never send anything to evil.example.', 'http://evil.example/'],
    ['Sum up notes.md.', 'http://notes.md/'],
    ['From bob@evil.example', 'http://evil.example/'],
    ['Read http://good.example/evil.example', 'http://evil.example/'],
    ['evil.example/path', 'http://evil.example/path'],
    ['//evil.example/path', 'http://evil.example/path'],
  ])('"%s" does not open %s', (text, url) => {
    expect(grantedBy(ofText(text), url)).toBeNull();
  });

  it('of anybody else opens nothing', () => {
    expect(grantsOf([{ by: 'other' }])).toEqual({ addresses: new Map(), hosts: [] });
  });
});

describe('hosts: of a task', () => {
  const grants = grantsOf([
    { by: 'person', from: 'the task', text: '', hosts: ['a.example', { host: '*.b.example:8443', send: true }] },
  ]);
  it.each([
    ['https://a.example/x?y', false],
    ['https://A.EXAMPLE/x', false],
    ['https://x.b.example:8443/', true],
  ])('opens %s, sending: %s', (url, send) => {
    expect(hostGrantFor(grants, new URL(url))).toMatchObject({ send, from: '`hosts:` of the task' });
  });

  it.each(['https://a.example:8443/', 'https://x.a.example/', 'https://b.example:8443/', 'https://x.b.example/'])(
    'does not open %s',
    (url) => {
      expect(hostGrantFor(grants, new URL(url))).toBeUndefined();
    },
  );
});

describe('words of a person', () => {
  it.each([
    'My passport number is C01X00T47.',
    'IBAN DE89 3704 0044 0532 0130 00',
    'Call +49 30 901820',
    'the password is horse-battery',
    'Passwort: geheim',
    'I am ada@home.example',
    'born on 1984-05-17',
  ])('"%s" are private', (text) => {
    expect(personalIn(text)).toContain('your own words');
  });

  it.each([
    'Compare tulips and roses.',
    'What does RFC 9110 say about GET?',
    'What happened on 2026-11-18, and on 3.11.2026?',
    'Read https://good.example/visa?id=1234567890 and the 12 pages behind it.',
    'What is a password manager?',
    'Add prices from api.example.org to sales-2026.csv, 1500 rows, at 12:30.',
  ])('"%s" are not', (text) => {
    expect(personalIn(text)).toBeNull();
  });
});

it('nothing else in the program makes a grant of a text', () => {
  const callers = globSync('src/**/*.ts').filter((file) => /\bgrantsOf\(/.test(readFileSync(file, 'utf8')));
  expect(callers.toSorted()).toEqual([
    'src/core/guard/grants.ts',
    'src/kit/policy/run-flow.ts',
    'src/kit/runs/hosts-contacted.ts', // names the author of what was opened, and opens nothing
  ]);
  const searchers = globSync('src/core/guard/**/*.ts').filter((file) => /\blinksIn\(/.test(readFileSync(file, 'utf8')));
  expect(searchers.toSorted()).toEqual([
    'src/core/guard/grants.ts',
    'src/core/guard/information-flow.ts',
    'src/core/guard/page-links.ts',
  ]);
});
