/** Converting documents and reading their metadata. */
import { read, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal } from '../shell-state.ts';
import { judgeLoadedCode } from './desk-code.ts';

export const documents: Table = {
  ...rows(
    'lynx w3m elinks',
    read('read', {
      judge: (use) => {
        if (!use.args.some(({ text }) => /^-+dump$/.test(text)))
          use.raise('external_mutation', `${use.name} is for a person at a terminal`);
        if (use.args.some(({ text }) => /^-+(?:cfg|lss|config\w*|eval|o|post_data|auth|cookie_file)/.test(text)))
          use.raise('deny', `an option of ${use.name} runs or sends something`);
      },
    }),
  ),
  ...rows(
    'iconv xsltproc',
    read('read', {
      takes: 'fto',
      longs: ['--output', '--from-code', '--to-code', '--stringparam', '--param'],
      rules: { '-o': 'writes', '--output': 'writes' },
      judge: (use) => {
        if (use.operands.some(({ text }) => /^\w+:\/\//.test(text)))
          use.raise('external_mutation', `${use.name} would load something from the network`);
      },
    }),
  ),
  pdftotext: read('own', {
    takes: 'flrxyWHeno',
    judge: ({ operands: [from, to], reads, writes }) => {
      if (from) reads(from);
      if (to?.text !== '-') writes(to ?? literal('out.txt'));
    },
  }),
  exiftool: read('read', {
    wordy: true,
    judge: judgeExif,
  }),
  pandoc: read('read', {
    takes: 'otfrwVMsFLd',
    longs: ['--output', '--from', '--to', '--template', '--metadata', '--variable', '--filter', '--lua-filter'],
    rules: {
      '-o': 'writes',
      '--output': 'writes',
      '--lua-filter': judgeFilter,
      '--filter': judgeFilter,
      '-F': judgeFilter,
      '-L': judgeFilter,
      '--data-dir': judgeFilter,
      '--defaults': judgeFilter,
      '-d': judgeFilter,
      '-t': judgeFormat,
      '-f': judgeFormat,
      '-r': judgeFormat,
      '-w': judgeFormat,
      '--to': judgeFormat,
      '--from': judgeFormat,
      '--log': 'writes',
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

function judgeExif(use: Use): void {
  if (use.args.some(({ text }) => /^-(?:config|if|execute|@|stay_open)|\$\{[^}]*;/.test(text)))
    return use.raise('deny', 'exiftool would run code or read options from a file');
  use.args.forEach((arg, at) => {
    const [, tag, value] = /^-(\w[\w:]*)[-+<]?=(.*)$/s.exec(arg.text) ?? [];
    if (tag !== undefined || /^-(?:delete|overwrite|w|o)/.test(arg.text))
      use.raise('write_local', 'exiftool changes files');
    if (/^(?:File)?(?:Name|Directory)$|^TestName$|^HardLink$|^SymLink$/i.test(tag ?? ''))
      use.writes({ ...arg, text: value ?? '' });
    if (/^-[\w:]+<=/.test(arg.text)) use.reads({ ...arg, text: value ?? '' });
    if (/^-[ow]$/.test(use.args[at - 1]?.text ?? '')) use.writes(arg);
  });
}

/** A format may be a script. */
function judgeFormat(format: Arg | null, use: Use): void {
  if (format !== null && format.text.endsWith('.lua')) judgeFilter(format, use);
}

function judgeFilter(code: Arg | null, use: Use): void {
  use.raise('write_local', 'pandoc runs a filter');
  if (code !== null) judgeLoadedCode(use, code);
}
