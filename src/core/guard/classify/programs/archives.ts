/** Archives and compression. */
import { local, read, rows, type Table, type Use } from '../program-row.ts';
import { fullPath } from '../paths.ts';
import type { Arg } from '../shell-state.ts';
import { judgePathsInWords } from './paths-in-words.ts';

export const archives: Table = {
  ...rows('tar gtar bsdtar', read('own', { judge: judgeTar })),
  ...rows(
    'zip',
    local('own', {
      takes: 'bntixTP',
      rules: { '-T': 'fine', '--unzip-command': ['deny', 'runs a program'] },
      judge: judgeZip,
    }),
  ),
  unzip: read('own', {
    takes: 'dPx',
    rules: { '-d': 'writes', '-:': ['deny', 'lets files leave the folder'] },
    judge: judgeUnzip,
  }),
  ...rows(
    'gzip bzip2 xz zstd lz4 lzma brotli compress pigz pbzip2 lzip',
    read('own', { takes: 'So', rules: { '-o': 'writes' }, judge: judgeCompressor }),
  ),
  ...rows(
    'gunzip bunzip2 unxz unzstd uncompress unlz4 unlzma',
    read('own', { takes: 'So', rules: { '-o': 'writes' }, judge: judgeCompressor }),
  ),
  ...rows(
    'zcat gzcat bzcat xzcat zstdcat lz4cat',
    read('read', { judge: ({ state }) => void (state.tally.decodes = true) }),
  ),
  ...rows('7z 7za 7zr p7zip rar unrar', local('own', { judge: judgeSevenZip })),
  cpio: local('own', {
    takes: 'FDIO',
    judge: (use) => {
      if (use.has('-i', '--extract') && !use.has('--no-absolute-filenames', '-t', '--list'))
        use.raise('external_mutation', 'cpio may write wherever the archive says');
    },
    rules: { '-D': 'writes', '--directory': 'writes', '--rsh-command': ['deny', 'runs a program'] },
  }),
  ar: local('own', { judge: ({ operands, writes }) => operands.slice(1, 2).forEach(writes) }),
};

const TAR_RUNS =
  /^(?:--(?:checkpoint-action|to-command|use-compress-program|info-script|new-volume-script|rsh-command|rmt-command)|-[IF])/;

function judgeTar(use: Use): void {
  const texts = use.args.map(({ text }) => text);
  const bundle = /^[a-zA-Z]+$/.test(texts[0] ?? '') ? [`-${texts[0]}`, ...texts.slice(1)] : texts;
  const flags = bundle.filter((text) => /^-[a-zA-Z]/.test(text) && !/^--|^-[CTXIFb]$/.test(text)).join('');
  for (const text of texts) {
    const program = /^(?:-I|--use-compress-program)=?\s*(\S*)/.exec(text)?.[1];
    if (
      program !== undefined &&
      /^(?:|pigz|pbzip2|zstd|xz|gzip|lz4)$/.test(program) &&
      (program !== '' || /^(?:pigz|pbzip2|zstd|xz|gzip|lz4)(?: -[\dT]+)*$/.test(texts[texts.indexOf(text) + 1] ?? ''))
    )
      continue;
    if (
      TAR_RUNS.test(text) ||
      (/^--[a-z]/.test(text) &&
        [
          '--checkpoint-action',
          '--to-command',
          '--use-compress-program',
          '--info-script',
          '--new-volume-script',
          '--rsh-command',
          '--rmt-command',
        ].some(
          (each) =>
            each.startsWith(text.replace(/=.*/, '')) && text.replace(/=.*/, '').length > 5 && text !== '--checkpoint',
        ))
    )
      use.raise('deny', 'an option of tar runs a program');
  }
  judgePathsInWords(use, false);
  use.args.forEach((arg, at) => {
    const value = /^--(?:index-file|listed-incremental|volno-file)=(.*)$/s.exec(arg.text)?.[1];
    if (value !== undefined) use.writes({ ...arg, text: value });
    if (arg.text === '-g' && use.args[at + 1]) use.writes(use.args[at + 1] as Arg);
  });
  if (/P/.test(flags) || texts.some((text) => text.startsWith('--absolute-names')))
    use.raise('deny', 'tar would leave the desk');
  const creates = /[cruA]/.test(flags) || texts.some((text) => /^--(?:create|append|update|catenate)/.test(text));
  const lists =
    !creates &&
    (/t/.test(flags) || texts.includes('--list')) &&
    !/x/.test(flags) &&
    !texts.some((text) => /^--(?:extract|get)$/.test(text));
  tarPaths(use, creates, lists);
  if (!lists) use.raise('write_local', 'tar works on the desk');
}

function tarPaths(use: Use, creates: boolean, lists: boolean): void {
  const { args } = use;
  const bundled = /^-?[a-zA-Z]*f$/.test(args[0]?.text ?? '') && !args[0]?.text.startsWith('--');
  let archive = bundled ? args[1] : undefined;
  const members: Arg[] = [];
  for (let at = bundled ? 2 : /^[a-zA-Z]+$/.test(args[0]?.text ?? '') ? 1 : 0; at < args.length; at += 1) {
    const arg = args[at] as Arg;
    const inline = /^--(file|directory|one-top-level)=(.*)$/s.exec(arg.text);
    const next = args[at + 1];
    if (inline?.[1] === 'file') archive = { ...arg, text: inline[2] ?? '' };
    else if (inline !== null) (creates || lists ? use.reads : use.writes)({ ...arg, text: inline[2] ?? '' });
    else if (/^-(?:C|-directory)$/.test(arg.text) && next) {
      (creates || lists ? use.reads : use.writes)(next);
      at += 1;
    } else if (/^-[a-zA-Z]*f$|^--file$/.test(arg.text) && next) {
      archive = next;
      at += 1;
    } else if (/^-(?:X|T|-exclude|-exclude-from|-files-from)$/.test(arg.text)) at += 1;
    else if (!arg.text.startsWith('-')) members.push(arg);
  }
  if (archive && /^[\w.-]+:/.test(archive.text)) use.raise('external_mutation', 'tar would use another machine');
  if (archive) (creates ? use.writes : use.reads)(archive);
  if (creates) members.forEach(use.reads);
  else if (!lists) markUnpacked(use, archive);
}

/** Marks what is unpacked from a downloaded archive as downloaded, too. */
function markUnpacked({ state, stdin, args }: Use, archive: Arg | undefined): void {
  const file = archive && fullPath(state, archive.text);
  const fetched =
    (stdin.from === 'pipe' && stdin.fetched) || (file && state.written.get(file) === null && state.written.has(file));
  const at = args.findIndex(({ text }) => /^-(?:C|d|-directory)$/.test(text));
  const folder = fullPath(state, at === -1 ? '.' : (args[at + 1]?.text ?? '.'));
  if (fetched && folder !== null) state.written.set(`${folder.replace(/\/$/, '')}/`, null);
}

function judgeZip(use: Use): void {
  if (use.args.some(({ text }) => /^-T?T.|^-TT$|^--unzip/.test(text)))
    use.raise('deny', 'an option of zip runs a program');
  const [archive, ...members] = use.operands;
  if (archive) use.writes(archive);
  members.forEach(use.reads);
}

function judgeUnzip(use: Use): void {
  use.operands.slice(0, 1).forEach(use.reads);
  markUnpacked(use, use.operands[0]);
  if (!use.has('-l', '-t', '-p', '-Z', '-v') || use.has('-d')) use.raise('write_local', 'unzip writes on the desk');
}

function judgeCompressor(use: Use): void {
  const through = use.has('-c', '--stdout', '--to-stdout', '-l', '--list', '-t', '--test') || use.operands.length === 0;
  for (const file of use.operands) (through ? use.reads : use.writes)(file);
  if (use.has('-d', '--decompress') || use.name.startsWith('un') || use.name.startsWith('gun'))
    use.state.tally.decodes = true;
}

function judgeSevenZip(use: Use): void {
  const [command, archive, ...members] = use.operands;
  const out = use.args.find(({ text }) => /^-o./.test(text));
  if (out) use.writes({ ...out, text: out.text.slice(2) });
  if (archive) (/^[audr]/.test(command?.text ?? '') ? use.writes : use.reads)(archive);
  members.forEach(use.reads);
}
