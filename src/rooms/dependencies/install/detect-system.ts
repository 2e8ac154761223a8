/**
 * Parts of the system that are not there: libraries, headers, pkg-config entries, locales, fonts, modules of
 * distributions, devices, and capabilities that a program names.
 */
import { type Failure, type Found, matchSigns, type Sign } from './command-failure.ts';

const LIB = String.raw`[\w+.-]+\.so(?:\.[\d.]+)?`;
const multiline = (source: string): RegExp => new RegExp(source, 'gm');

const SIGNS: readonly Sign[] = [
  {
    pattern: multiline(String.raw`error while loading shared libraries: (${LIB}): cannot open shared object file`),
    need: ([, name = '']) => ({ kind: 'library', name }),
  },
  {
    pattern: multiline(String.raw`(?:^|[\s'"(])(${LIB}): cannot open shared object file: No such file or directory`),
    need: ([, name = '']) => ({ kind: 'library', name }),
  },
  {
    pattern: multiline(String.raw`Error loading shared library (${LIB}): No such file or directory`),
    need: ([, name = '']) => ({ kind: 'library', name }),
  },
  {
    pattern: multiline(String.raw`^(?:\S*/)?(?:\S*-)?ld: cannot find -l([\w+.-]+)`),
    need: ([, name = '']) => ({ kind: 'library', name: `lib${name}.so` }),
  },
  {
    pattern: multiline(
      String.raw`^[^\n:]+:\d+:\d+: fatal error: '?([\w+./-]+\.(?:h|hh|hpp|hxx))'?(?::| file) (?:No such file or directory|not found)`,
    ),
    need: ([, name = '']) => ({ kind: 'header', name }),
  },
  {
    pattern: multiline(String.raw`^Package ([\w+.-]+) was not found in the pkg-config search path`),
    need: ([, name = '']) => ({ kind: 'pkgconfig', name }),
  },
  {
    pattern: multiline(String.raw`^Package '([\w+.-]+)', required by '[^']+', not found`),
    need: ([, name = '']) => ({ kind: 'pkgconfig', name }),
  },
  {
    pattern: multiline(String.raw`^(?:-- )?(?:CMake Error[^\n]*\n\s*)?Could NOT find ([A-Za-z][\w]*) \(missing:`),
    need: ([, name = '']) => ({ kind: 'pkgconfig', name: name.toLowerCase() }),
  },
  {
    pattern: multiline(String.raw`^(?:locale\.Error: unsupported locale setting|initdb: error: invalid locale)`),
    need: (_, { text, command }) => ({
      kind: 'locale',
      name: findLocale(command) ?? findLocale(text) ?? 'en_US.UTF-8',
    }),
  },
  {
    pattern: multiline(String.raw`^tmux: need UTF-8 locale`),
    need: () => ({ kind: 'locale', name: 'C.UTF-8' }),
  },
  {
    pattern: multiline(
      String.raw`^(?:\S+: )?(?:cannot set|can't set|Cannot set) (?:the )?locale(?: to)? ['"]?([a-z]{2}_[A-Z]{2}[\w.@-]*)`,
    ),
    need: ([, name = '']) => ({ kind: 'locale', name }),
  },
  {
    pattern: multiline(
      String.raw`Fontconfig error: Cannot load default config file|Fontconfig head is null|unable to read font|No fonts found|no fonts? (?:are )?installed`,
    ),
    need: () => ({ kind: 'font', name: 'fonts' }),
  },
  {
    pattern: multiline(String.raw`^Can't locate ([\w/]+)\.pm in @INC`),
    need: ([, name = '']) => ({ kind: 'library', name: `perl:${name.replaceAll('/', '::')}` }),
  },
  {
    pattern: multiline(String.raw`cannot load such file -- ([\w/-]+) \(LoadError\)`),
    need: ([, name = '']) => ({ kind: 'library', name: `ruby:${name.split('/')[0]}` }),
  },
  {
    pattern: multiline(String.raw`^! LaTeX Error: File \x60([\w.-]+\.(?:sty|cls))' not found`),
    need: ([, name = '']) => ({ kind: 'library', name: `tex:${name}` }),
  },
  {
    pattern: multiline(String.raw`there is no package called ['‘]([\w.]+)['’]`),
    when: ({ text }) => /^Error in (?:library|loadNamespace)/m.test(text),
    need: ([, name = '']) => ({ kind: 'library', name: `r:${name}` }),
  },
  {
    pattern: multiline(
      String.raw`(?:^|[\s'"‘(:])(/dev/(?!null|zero|full|u?random|tty\b|std(?:in|out|err)|fd\b|shm|pts|ptmx)[\w/.-]*\w)['"’)]?:? (?:No such (?:file or directory|device)|cannot open|does not exist)`,
    ),
    need: ([, name = '']) => ({ kind: 'device', name }),
  },
  {
    pattern: multiline(
      String.raw`\b(?:[Nn]eeds?|[Rr]equires?|[Mm]issing|[Ll]acks?|[Ww]ithout|not have|no)\b[^\n]{0,60}?\b(CAP_[A-Z][A-Z_]+|cap_[a-z][a-z_]+)\b`,
    ),
    need: ([, name = '']) => ({ kind: 'capability', name: name.toUpperCase() }),
  },
];

export function missingInSystem(failure: Failure): Found | null {
  return matchSigns(SIGNS, failure);
}

function findLocale(text: string): string | null {
  return /\b([a-z]{2,3}_[A-Z]{2}(?:\.(?:UTF-8|utf-?8))?)\b/.exec(text)?.[1] ?? null;
}
