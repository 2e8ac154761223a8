/** Looking at text and changing it on its way through. */
import { awk } from '../awk.ts';
import { fullPath, placeOf } from '../paths.ts';
import { bounded, read, type Row, rows, type Table, type Use } from '../row.ts';
import { type Arg, literal } from '../scene.ts';
import { sed } from '../sed.ts';

const grep: Row = read('own', {
  takes: 'efmABCdD',
  longs: [
    '--regexp',
    '--file',
    '--max-count',
    '--context',
    '--after-context',
    '--before-context',
    '--include',
    '--exclude',
    '--exclude-dir',
    '--color',
    '--colour',
    '--label',
  ],
  rules: { '-f': 'reads', '--file': 'reads', '--exclude-from': 'reads' },
  judge: judgeGrep,
});

/** Programs that also decode: what comes out of them was hidden before. */
const decoder = (takes: string, flags: readonly string[]): Row =>
  read('read', {
    takes,
    judge: (use) => {
      if (flags.length === 0 || use.has(...flags)) use.scene.tally.decodes = true;
    },
  });

export const text: Table = {
  ...rows(
    `cat tac nl expand unexpand fold fmt pr paste join comm wc cksum sum md5sum sha1sum sha224sum sha256sum
    sha384sum sha512sum b2sum strings hexdump column cmp diff3 look readelf nm size objdump c++filt asa ul colrm
    col pdfinfo pdfgrep mediainfo identify hd zipinfo`,
    read('read', { rules: { '--plugin': ['deny', 'loads code'] } }),
  ),
  ...rows(
    'iconv xsltproc',
    read('read', {
      takes: 'fto',
      longs: ['--output', '--from-code', '--to-code', '--stringparam', '--param'],
      rules: { '-o': 'writes', '--output': 'writes' },
    }),
  ),
  ...rows('aspell hunspell', read('read', { rules: { '-c': ['write_local', 'changes the file'] } })),
  pdftotext: read('own', {
    takes: 'flrxyWHeno',
    judge: ({ operands: [from, to], reads, writes }) => {
      if (from) reads(from);
      if (to?.text !== '-') writes(to ?? literal('out.txt'));
    },
  }),
  exiftool: read('read', {
    wordy: true,
    judge: (use) =>
      void (
        use.args.some(({ text }) => /^-\w[\w:]*[-+<]?=|^-(?:delete|overwrite|w|execute|config|if)/.test(text)) &&
        use.raise(
          use.args.some(({ text }) => /^-(?:config|if|execute)/.test(text)) ? 'deny' : 'write_local',
          'exiftool changes files',
        )
      ),
  }),
  xmllint: read('own', {
    longs: ['--xpath', '--schema', '--dtdvalid', '--output', '--encode', '--pattern'],
    takes: 'o',
    rules: { '-o': 'writes', '--output': 'writes', '--schema': 'reads', '--shell': ['deny', 'starts a shell'] },
    judge: ({ operands, reads }) => operands.forEach(reads),
  }),
  ...rows('head tail', read('read', { takes: 'nc', longs: ['--lines', '--bytes'], judge: judgeEnds })),
  cut: read('read', {
    takes: 'bcdf',
    longs: ['--delimiter', '--fields', '--characters', '--bytes', '--output-delimiter'],
  }),
  ...rows('grep egrep fgrep zgrep bzgrep xzgrep', grep),
  ...rows(
    'rg ripgrep',
    read('own', {
      ...grep,
      takes: 'efmABCgtTjrEM',
      longs: [...(grep.longs ?? []), '--glob', '--type', '--type-not', '--replace', '--sort', '--iglob', '--max-depth'],
      rules: {
        '-f': 'reads',
        '--file': 'reads',
        '--pre': ['deny', 'runs a program on every file'],
        '--hostname-bin': ['deny', 'runs a program'],
        '--pre-glob': 'fine',
        '--search-zip': 'fine',
      },
    }),
  ),
  ag: read('own', { ...grep, rules: { '--pager': ['deny', 'runs a program'] } }),
  ack: read('own', {
    ...grep,
    rules: {
      '--pager': ['deny', 'runs a program'],
      '--output': ['deny', 'evaluates a text'],
      '--ackrc': ['deny', 'loads options from a file'],
    },
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
  uudecode: decoder('o', []),
  xxd: read('own', { takes: 'lcsogn', judge: judgeXxd }),
  od: read('read', { takes: 'ANjtw', judge: (use) => bounded(use, use.has('-N')) }),
  ...rows(
    'sed gsed',
    read('own', { takes: 'efl', longs: ['--expression', '--file', '--line-length'], judge: judgeSed }),
  ),
  ...rows(
    'awk gawk mawk nawk',
    read('own', {
      takes: 'FvfeEiloWd',
      longs: ['--field-separator', '--assign', '--file', '--source', '--include', '--load'],
      judge: judgeAwk,
    }),
  ),
  ...rows(
    'jq gojq jaq',
    read('own', {
      longs: ['--arg', '--argjson', '--slurpfile', '--rawfile', '--indent', '--from-file'],
      takes: 'fL',
      rules: { '-f': 'reads', '--from-file': 'reads' },
      judge: judgeJq,
    }),
  ),
  yq: read('own', {
    rules: {
      '-s': ['write_local', 'writes files'],
      '--split-exp': ['write_local', 'writes files'],
      '-i': ['write_local', 'changes files'],
      '--inplace': ['write_local', 'changes files'],
      '--in-place': ['write_local', 'changes files'],
    },
    judge: judgeYq,
  }),
  ...rows(
    'diff sdiff colordiff wdiff',
    read('read', {
      takes: 'UCxIFWoX',
      longs: ['--exclude', '--unified', '--context', '--label', '--exclude-from'],
      rules: { '-o': 'writes', '--output': 'writes', '--diff-program': ['deny', 'runs a program'] },
    }),
  ),
  ...rows(
    'less more most bat batcat zless',
    read('read', {
      takes: 'oOkxPtTpybhjlHrmS',
      rules: {
        '-o': 'writes',
        '-O': 'writes',
        '--log-file': 'writes',
        '-k': ['deny', 'loads commands from a file'],
        '--lesskey-file': ['deny', 'loads commands from a file'],
        '--lesskey-content': ['deny', 'loads commands'],
        '--pager': ['deny', 'runs a program'],
        '--map-syntax': 'fine',
      },
      judge: judgePager,
    }),
  ),
  ...rows(
    `seq expr factor numfmt bc dc cal ncal basename dirname sleep usleep figlet cowsay toilet fortune nproc arch`,
    read('text', { judge: judgeSums }),
  ),
  shuf: read('read', {
    takes: 'inor',
    rules: { '-o': 'writes', '--output': 'writes' },
    judge: (use) => void (use.has('-e', '--echo', '-i') && bounded(use, true)),
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
  ...rows(
    `csvcut csvgrep csvstat csvlook csvsort csvjson csvjoin csvstack csvformat in2csv xsv qsv mlr miller dasel
    gron htmlq pup hexyl glow mdcat`,
    read('own', {
      takes: 'o',
      rules: { '-o': 'writes', '--output': 'writes', '-I': ['write_local', 'changes files'] },
      judge: judgeTables,
    }),
  ),
  yes: read('text', { judge: ({ scene }) => void (scene.flow.endless = 'yes') }),
  pandoc: read('read', {
    takes: 'otfrwVMs',
    longs: ['--output', '--from', '--to', '--template', '--metadata', '--variable'],
    rules: {
      '-o': 'writes',
      '--output': 'writes',
      '--lua-filter': ['write_local', 'runs code'],
      '--filter': ['write_local', 'runs code'],
      '-F': ['write_local', 'runs code'],
      '--pdf-engine': (value, use) =>
        void (
          /^(?:pdflatex|xelatex|lualatex|tectonic|wkhtmltopdf|weasyprint|typst)$/.test(value?.text ?? '') ||
          use.raise('deny', 'pandoc --pdf-engine runs a program')
        ),
      '--pdf-engine-opt': ['deny', 'may run a program'],
      '--extract-media': 'writes',
    },
  }),
};

/** What went through is in the files. */
function judgeTee({ operands, stdin, scene }: Use): void {
  for (const { text } of operands) {
    const full = fullPath(scene, text);
    if (full !== null && stdin.from !== 'file')
      scene.written.set(full, stdin.from === 'text' ? stdin.text : stdin.from === 'pipe' && stdin.fetched ? null : '');
  }
}

function judgeGrep(use: Use): void {
  const given = use.has('-e', '--regexp', '-f', '--file', '--files', '--type-list');
  const [pattern, ...files] = use.operands;
  for (const file of given && pattern ? [pattern, ...files] : files) use.reads(file);
  if (
    /^(?:\*|.*(?:BEGIN|PRIVATE KEY|password|passwd|secret|api_?key|token).*)$/i.test(pattern?.text ?? '') &&
    files.some(({ text }) => /^[/~]/.test(text))
  )
    use.raise('external_mutation', 'it searches for secrets outside the desk');
}

/** head ends what flows into it, after as much as it is told. */
function judgeEnds(use: Use): void {
  if (use.name !== 'head') return;
  const size = use.options.find(({ name }) => name === '-c' || name === '--bytes')?.value?.text ?? '';
  const huge = /^\d+(?:[TPEZY]|\d{10,})|^(?:[5-9]|\d{2,})G/i.test(size);
  if (huge) use.raise('deny', 'it would fill the disk');
  else bounded(use, true);
}

function judgeXxd(use: Use): void {
  const [from, to] = use.operands;
  if (use.has('-r')) use.scene.tally.decodes = true;
  if (use.has('-l')) bounded(use, true);
  if (from) use.reads(from);
  if (to) use.writes(to);
}

function judgeSed(use: Use): void {
  const scripts = use.options.filter(({ name }) => name === '-e' || name === '--expression');
  const fromFile = use.options.filter(({ name }) => name === '-f' || name === '--file');
  const [first, ...rest] = use.operands;
  const texts = scripts.length + fromFile.length > 0 ? scripts.map(({ value }) => value) : [first ?? null];
  const files = scripts.length + fromFile.length > 0 ? use.operands : rest;
  const inPlace = use.options.some(({ name }) => name === '-i' || (name.length > 3 && '--in-place'.startsWith(name)));
  for (const { value } of fromFile) {
    if (value) fromScript(use, value, sed);
    use.raise('write_local', 'sed runs a script from the desk');
  }
  for (const text of texts) if (text) sed(use, text);
  for (const file of files) (inPlace ? use.writes : use.reads)(file);
}

function judgeAwk(use: Use): void {
  const loads = use.options.filter(({ name }) => ['-f', '--file', '-i', '--include', '-E'].includes(name));
  const sources = use.options.filter(({ name }) => ['-e', '--source'].includes(name));
  if (use.has('-l', '--load')) use.raise('deny', 'awk would load a library');
  for (const { name, value } of loads) {
    if (name === '-i' && value?.text === 'inplace') use.operands.slice(1).forEach(use.writes);
    else if (value) fromScript(use, value, awk);
    use.raise('write_local', 'awk runs a script from the desk');
  }
  const [first, ...rest] = use.operands;
  const inline =
    loads.some(({ name }) => name !== '-i') || sources.length > 0 ? sources.map(({ value }) => value) : [first ?? null];
  for (const program of inline) if (program) awk(use, program);
  for (const file of inline.includes(first ?? null) ? rest : use.operands)
    if (!/^\w+=/.test(file.text)) use.reads(file);
}

/** A script in a file: seen through when the line itself has written it. */
function fromScript(use: Use, file: Arg, judge: (use: Use, script: Arg) => void): void {
  const flowing = file.text === '-' || placeOf(use.scene, file.text) === 'sink';
  const written = use.scene.written.get(fullPath(use.scene, file.text) ?? '');
  if (flowing && use.stdin.from === 'text') return judge(use, literal(use.stdin.text));
  if (flowing || written === null) return use.raise('deny', `${use.name} would run what flows in`);
  if (written !== undefined) judge(use, literal(written));
  use.reads(file);
}

function judgeJq(use: Use): void {
  const texts = use.args.filter(({ text }) => !text.startsWith('-'));
  if (
    texts.some(
      ({ text }) =>
        /\$ENV\b(?!\.\w*(?:PATH|HOME|USER|LANG|PWD)\b)|(?<![.\w"])env\b(?!\.(?:PATH|HOME|USER|LANG))/.test(text) &&
        /[.|$(]|^env$/.test(text),
    )
  )
    use.raise('external_mutation', 'jq would show the environment');
  const skip = use.has('-f', '--from-file') ? 0 : 1;
  for (const file of use.operands.slice(skip))
    if (/[/.~]/.test(file.text) && !/[|{}()[\]]/.test(file.text)) use.reads(file);
  use.args.forEach((arg, index) => {
    if (/^--(?:slurp|raw)file$/.test(arg.text) && use.args[index + 2]) use.reads(use.args[index + 2] as Arg);
  });
}

function judgeYq(use: Use): void {
  const expression = use.operands.map(({ text }) => text).join(' ');
  if (/\b(?:load|load_str|env|envsubst|strenv|system)\s*\(/.test(expression))
    use.raise('external_mutation', 'yq would load or fill in something from elsewhere');
  for (const file of use.operands)
    if (/\.(?:ya?ml|json|toml|xml|csv)$/.test(file.text))
      (use.has('-i', '--inplace', '--in-place') ? use.writes : use.reads)(file);
}

function judgePager(use: Use): void {
  if (use.operands.some(({ text }) => /^\+.*!|^\+[^\d/FGg]/.test(text)))
    use.raise('deny', `${use.name} +… runs a command`);
}

function judgeSums(use: Use): void {
  const numbers = use.operands.map(({ text }) => Number(text)).filter((number) => Number.isFinite(number));
  if (use.name === 'seq' && Math.max(0, ...numbers.map(Math.abs)) > 100_000_000)
    use.raise('deny', 'seq would count almost for ever');
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

function judgeTables(use: Use): void {
  for (const file of use.operands)
    if (/\.\w{2,5}$|^[/~]/.test(file.text) && !/\s|[()$]/.test(file.text)) use.reads(file);
  if (
    use.name === 'mlr' &&
    use.args.some(({ text }) => /\b(?:system|exec|tee|split|emit\s*>|print\s*[>|]|dump\s*[>|])\b|\|\s*"/.test(text))
  )
    use.raise('deny', 'mlr would run a command or write');
  if (use.args.some(({ text }) => /^https?:/.test(text)))
    use.raise('external_mutation', `${use.name} would fetch from the network`);
}
