/** Searching text, and pagers. */
import { read, rows, type Row, type Table, type Use } from '../program-row.ts';

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

export const search: Table = {
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
};

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

function judgePager(use: Use): void {
  if (use.operands.some(({ text }) => /^\+.*!|^\+[^\d/FGg]/.test(text)))
    use.raise('deny', `${use.name} +… runs a command`);
}
