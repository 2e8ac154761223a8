/** Reading and transforming text. */
import { fullPath } from '../paths.ts';
import { markBounded, read, type Row, rows, type Table, type Use } from '../program-row.ts';
import { literal } from '../shell-state.ts';

/** Programs that also decode: their output was not readable before. */
const decoder = (takes: string, flags: readonly string[]): Row =>
  read('read', {
    takes,
    judge: (use) => {
      if (flags.length === 0 || use.has(...flags)) use.state.tally.decodes = true;
    },
  });

export const text: Table = {
  ...rows(
    `cat tac nl expand unexpand fold fmt pr paste join comm wc cksum sum md5sum sha1sum sha224sum sha256sum
    sha384sum sha512sum b2sum strings hexdump column cmp diff3 look readelf nm size objdump c++filt asa ul colrm
    col pdfinfo pdfgrep mediainfo identify hd zipinfo enca datamash html2text catdoc zdiff zcmp unrtf xls2csv ppttotext`,
    read('read', { rules: { '--plugin': ['deny', 'loads code'] } }),
  ),
  ...rows('aspell hunspell', read('read', { rules: { '-c': ['write_local', 'changes the file'] } })),
  ...rows('head tail', read('read', { takes: 'nc', longs: ['--lines', '--bytes'], judge: judgeEnds })),
  cut: read('read', {
    takes: 'bcdf',
    longs: ['--delimiter', '--fields', '--characters', '--bytes', '--output-delimiter'],
  }),
  sort: read('read', {
    takes: 'ktSTo',
    longs: [
      '--key',
      '--field-separator',
      '--buffer-size',
      '--output',
      '--temporary-directory',
      '--parallel',
      '--batch-size',
      '--sort',
    ],
    rules: {
      '-o': 'writes',
      '--output': 'writes',
      '-T': 'writes',
      '--temporary-directory': 'writes',
      '--compress-program': ['deny', 'runs a program'],
      '--files0-from': 'reads',
      '--random-source': 'fine',
    },
  }),
  uniq: read('own', {
    takes: 'fsw',
    judge: ({ operands: [from, to], reads, writes }) => {
      if (from) reads(from);
      if (to) writes(to);
    },
  }),
  tr: read('text'),
  rev: decoder('', []),
  ...rows('base64 base32 basenc', decoder('w', ['-d', '-D', '--decode'])),
  uudecode: read('read', {
    takes: 'o',
    rules: { '-o': 'writes' },
    judge: ({ state, raise }) => {
      state.tally.decodes = true;
      raise('write_local', 'uudecode writes the file that its input names');
    },
  }),
  xxd: read('own', { takes: 'lcsogn', judge: judgeXxd }),
  od: read('read', { takes: 'ANjtw', judge: (use) => markBounded(use, use.has('-N')) }),
  ...rows(
    'diff sdiff colordiff wdiff',
    read('read', {
      takes: 'UCxIFWoX',
      longs: ['--exclude', '--unified', '--context', '--label', '--exclude-from'],
      rules: { '-o': 'writes', '--output': 'writes', '--diff-program': ['deny', 'runs a program'] },
    }),
  ),
  ...rows(
    `seq expr factor numfmt bc dc cal ncal basename dirname sleep usleep figlet cowsay toilet fortune nproc arch`,
    read('text', { judge: judgeSums }),
  ),
  shuf: read('read', {
    takes: 'inor',
    rules: { '-o': 'writes', '--output': 'writes' },
    judge: (use) => void (use.has('-e', '--echo', '-i') && markBounded(use, true)),
  }),
  csplit: read('own', {
    takes: 'bfn',
    rules: { '-f': 'writes', '--prefix': 'writes' },
    judge: ({ operands: [from], reads, writes }) => {
      if (from) reads(from);
      writes(literal('xx00'));
    },
  }),
  split: read('own', {
    takes: 'abClnfkz',
    longs: ['--lines', '--bytes', '--number', '--suffix-length', '--prefix', '--suffix-format'],
    rules: {
      '--filter': (value, use) =>
        /^(?:gzip|xz|bzip2|zstd)(?: -\d)? > \$FILE[\w.]*$/.test(value?.text ?? '')
          ? undefined
          : use.raise('deny', 'split --filter runs a program'),
    },
    judge: judgeSplit,
  }),
  tee: read('write', { judge: judgeTee }),
  tsort: read(),
  ptx: read(),
  sponge: read('write'),
  yes: read('text', { judge: ({ state }) => void (state.flow.endless = 'yes') }),
};

/** Records what tee writes to its files. */
function judgeTee({ operands, stdin, state }: Use): void {
  for (const { text } of operands) {
    const full = fullPath(state, text);
    if (full !== null && stdin.from !== 'file')
      state.written.set(full, stdin.from === 'text' ? stdin.text : stdin.from === 'pipe' && stdin.fetched ? null : '');
  }
}

/** head ends its pipeline after the given amount. */
function judgeEnds(use: Use): void {
  if (use.name === 'tail' && use.has('-f', '-F', '--follow') && use.operands.some(({ text }) => text === '/dev/null'))
    use.raise('external_mutation', 'tail would wait forever');
  if (use.name !== 'head') return;
  const size = use.options.find(({ name }) => name === '-c' || name === '--bytes')?.value?.text ?? '';
  const huge = /^\d+(?:[TPEZY]|\d{10,})|^(?:[5-9]|\d{2,})G/i.test(size);
  if (huge) use.raise('deny', 'it would fill the disk');
  else markBounded(use, true);
}

function judgeXxd(use: Use): void {
  const [from, to] = use.operands;
  if (use.has('-r')) use.state.tally.decodes = true;
  if (use.has('-l')) markBounded(use, true);
  if (from) use.reads(from);
  if (to) use.writes(to);
  const full = to && fullPath(use.state, to.text);
  if (full && use.has('-r')) use.state.written.set(full, null);
}

function judgeSums(use: Use): void {
  const numbers = use.operands.map(({ text }) => Number(text)).filter((number) => Number.isFinite(number));
  if (use.name === 'seq' && Math.max(0, ...numbers.map(Math.abs)) > 100_000_000)
    use.raise('deny', 'seq would count almost forever');
  if (use.name === 'sleep' && use.args.some(({ text }) => /^inf|\d{6,}|\d+d|^[4-9]\d{4}/i.test(text)))
    use.raise('external_mutation', 'it would sleep for more than half a day');
  if (
    use.name === 'cowsay' &&
    use.args.some(({ text }) => text.startsWith('-f')) &&
    use.args.some(({ text }) => text.includes('/'))
  )
    use.raise('external_mutation', 'cowsay -f runs code from a file');
  if (use.name === 'bc' || use.name === 'dc') for (const file of use.operands) use.reads(file);
  if (use.name === 'dc' && use.stdin.from === 'text' && use.stdin.text.includes('!'))
    use.raise('deny', 'dc would run a command');
  if (use.name === 'dc' && use.args.some(({ text }) => text.includes('!'))) use.raise('deny', 'dc would run a command');
}

function judgeSplit(use: Use): void {
  const [from, prefix] = use.operands;
  if (from) use.reads(from);
  use.writes(prefix ?? literal('xaa'));
}
