/** Structured text: JSON, YAML, XML, tables. */
import { read, rows, type Table, type Use } from '../program-row.ts';
import type { Arg } from '../shell-state.ts';

export const structured: Table = {
  xmllint: read('own', {
    longs: ['--xpath', '--schema', '--dtdvalid', '--output', '--encode', '--pattern'],
    takes: 'o',
    rules: { '-o': 'writes', '--output': 'writes', '--schema': 'reads', '--shell': ['deny', 'starts a shell'] },
    judge: (use) => {
      use.operands.forEach(use.reads);
      if (use.has('--noent', '--xinclude', '--dtdload', '--dtdattr', '--load-trace'))
        use.raise('external_mutation', 'the document may name other files to read');
    },
  }),
  ...rows(
    'jq gojq jaq',
    read('own', {
      longs: ['--arg', '--argjson', '--slurpfile', '--rawfile', '--indent', '--from-file'],
      takes: 'fL',
      rules: { '-f': 'reads', '--from-file': 'reads' },
      judge: judgeJq,
    }),
  ),
  ...rows(
    'yq tomlq xq',
    read('own', {
      rules: {
        '-s': ['write_local', 'writes files'],
        '--split-exp': ['write_local', 'writes files'],
        '-i': ['write_local', 'changes files'],
        '--inplace': ['write_local', 'changes files'],
        '--in-place': ['write_local', 'changes files'],
      },
      judge: judgeYq,
    }),
  ),
  ...rows(
    `csvcut csvclean csvsql csvtool csvgrep csvstat csvlook csvsort csvjson csvjoin csvstack csvformat in2csv xsv qsv mlr miller dasel
    gron htmlq pup hexyl glow mdcat`,
    read('own', {
      takes: 'o',
      rules: { '-o': 'writes', '--output': 'writes', '-I': ['write_local', 'changes files'] },
      judge: judgeTables,
    }),
  ),
};

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
    use.raise('external_mutation', 'yq would load or insert something from elsewhere');
  for (const file of use.operands)
    if (/\.(?:ya?ml|json|toml|xml|csv)$/.test(file.text))
      (use.has('-i', '--inplace', '--in-place') ? use.writes : use.reads)(file);
}

function judgeTables(use: Use): void {
  for (const file of use.operands)
    if (/\.\w{2,5}$|^[/~]/.test(file.text) && !/\s|[()$]/.test(file.text)) use.reads(file);
  if (
    use.name === 'mlr' &&
    use.args.some(({ text }) => /\b(?:system|exec|tee|split|emit\s*>|print\s*[>|]|dump\s*[>|])\b|\|\s*"/.test(text))
  )
    use.raise('deny', 'mlr would run a command or write');
  if (
    use.args.some(({ text }) => /^--(?:prepipex?|load|mload|ofmt-cmd)|^-s$/.test(text)) &&
    /^(?:mlr|miller)$/.test(use.name)
  )
    use.raise('deny', 'an option of mlr runs a program or loads code');
  if (use.args.some(({ text }) => /^\w+(?:\+\w+)?:\/\/(?!\/)/.test(text) && !text.startsWith('sqlite')))
    use.raise('external_mutation', `${use.name} would reach another machine`);
}
