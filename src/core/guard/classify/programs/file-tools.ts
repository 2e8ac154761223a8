/** Listing, creating, copying, moving and removing files; converting media. */
import { fullPath, placeOf, SCRATCH_ROOT } from '../paths.ts';
import { markBounded, local, read, rows, type Table, type Use } from '../program-row.ts';
import { type Arg, literal } from '../shell-state.ts';
import { judgePathsInWords } from './paths-in-words.ts';

/** A larger file is probably meant to fill the disk. */
const LARGE = 4 * 2 ** 30;

export const files: Table = {
  ...rows(
    `ls dir vdir exa eza lsd stat du readlink realpath namei pathchk lsattr getfacl ncdu dust vidir-list`,
    read('stat', { takes: 'I' }),
  ),
  tree: read('stat', { takes: 'LIPoH', rules: { '-o': 'writes' } }),
  file: read('stat', { takes: 'mfF', rules: { '-C': ['write_local', 'writes a file'], '-f': 'reads', '-m': 'reads' } }),
  ...rows('df findmnt lsblk mountpoint blkid', read('stat')),
  mkdir: local('write', { takes: 'm', longs: ['--mode'] }),
  rmdir: local(),
  mkfifo: local('write', { takes: 'm' }),
  touch: local('write', { takes: 'dtr', longs: ['--date', '--reference'] }),
  mktemp: local('own', {
    takes: 'p',
    rules: { '-p': 'writes' },
    judge: ({ operands, writes }) => operands.filter(({ text }) => text.includes('/')).forEach(writes),
  }),
  cp: local('own', {
    takes: 'tS',
    longs: ['--target-directory', '--suffix'],
    rules: { '-t': 'writes', '--target-directory': 'writes', '-S': judgeSuffix, '--suffix': judgeSuffix },
    judge: judgeCopy,
  }),
  mv: local('own', {
    takes: 'tS',
    longs: ['--target-directory', '--suffix'],
    rules: { '-t': 'writes', '--target-directory': 'writes', '-S': judgeSuffix, '--suffix': judgeSuffix },
    judge: judgeMove,
  }),
  install: local('copy', {
    takes: 'mogtS',
    longs: ['--target-directory'],
    rules: {
      '-t': 'writes',
      '--target-directory': 'writes',
      '-m': judgeMode,
      '--mode': judgeMode,
      '--strip-program': ['deny', 'runs a program'],
    },
  }),
  ln: local('own', {
    takes: 'tS',
    longs: ['--target-directory'],
    rules: { '-t': 'writes', '--target-directory': 'writes' },
    judge: judgeLink,
  }),
  link: local('own', { judge: judgeLink }),
  ...rows(
    'rm unlink',
    local('own', { rules: { '--no-preserve-root': ['deny', 'is meant to delete everything'] }, judge: judgeRemove }),
  ),
  ...rows('trash trash-put', local('own', { judge: judgeRemove })),
  shred: local('write', { takes: 'ns' }),
  chmod: local('own', {
    judge: ({ operands: [mode, ...rest], ...use }) => {
      judgeMode(mode ?? null, use as Use);
      rest.forEach(use.writes);
    },
    rules: { '--reference': 'reads' },
  }),
  ...rows(
    'chown chgrp',
    local('own', {
      judge: ({ operands, writes, raise }) => {
        operands.slice(1).forEach(writes);
        raise('external_mutation', 'it gives files to another user');
      },
    }),
  ),
  truncate: local('write', { takes: 'sr', rules: { '-s': judgeSize, '--size': judgeSize } }),
  fallocate: local('write', { takes: 'lo', rules: { '-l': judgeSize, '--length': judgeSize } }),
  dd: local('own', { judge: judgeDd }),
  sync: read('stat'),
  patch: local('own', {
    takes: 'pdiorBbYzDgV',
    longs: ['--strip', '--directory', '--input', '--output'],
    rules: {
      '-e': ['deny', 'runs an editor script'],
      '--ed': ['deny', 'runs an editor script'],
      '-r': 'writes',
      '-o': 'writes',
      '--output': 'writes',
      '-d': 'writes',
      '--directory': 'writes',
      '-i': 'reads',
      '--input': 'reads',
    },
    judge: ({ operands: [file, diff], writes, reads }) => {
      if (file) writes(file);
      if (diff) reads(diff);
    },
  }),
  ...rows(
    `convert magick mogrify ffmpeg ffprobe gs sips rsvg-convert inkscape dot wkhtmltopdf qpdf pdftk pdfunite
    pdfseparate pdftoppm img2pdf ocrmypdf tesseract sox libreoffice soffice unoconv jpegoptim optipng pngquant
    cwebp xlsx2csv ssconvert csvformat docx2txt antiword plantuml mmdc latexmk pdflatex xelatex lualatex typst
    tectonic bibtex montage composite weasyprint qrencode potrace biber svgo`,
    local('own', { judge: judgeMedia }),
  ),
  dos2unix: local(),
  unix2dos: local(),
  rename: local('own', { judge: judgeRename }),
  detox: local(),
};

function judgeCopy(use: Use): void {
  const target = use.has('-t', '--target-directory') ? null : use.operands.at(-1);
  const from = target === null ? use.operands : use.operands.slice(0, -1);
  from.forEach(use.reads);
  if (target) use.writes(target);
  for (const source of from) carryOrigin(use, source, target ?? null);
  if (target && from.some(({ text }) => placeOf(use.state, text) === 'endless'))
    use.raise('deny', 'it would copy something endless');
}

/** Carries over to the new name whether a file was downloaded. */
function carryOrigin({ state, stdin }: Use, source: Arg, target: Arg | null): void {
  const [from, to] = [fullPath(state, source.text), target && fullPath(state, target.text)];
  if (to && stdin.from === 'text' && /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(source.text))
    state.written.set(to, stdin.text);
  if (from !== null && to && state.written.has(from)) state.written.set(to, state.written.get(from) ?? null);
}

function judgeMove(use: Use): void {
  use.operands.slice(0, -1).forEach((arg) => use.writes({ ...arg, text: arg.text.replace(/(^|\/)-+/, '$1') }));
  use.operands.slice(-1).forEach(use.writes);
  const target = use.operands.at(-1);
  if (target && placeOf(use.state, target.text) === 'sink') use.raise('deny', 'it would move files into nothing');
  for (const source of use.operands.slice(0, -1)) {
    carryOrigin(use, source, target ?? null);
    if (placeOf(use.state, source.text) === 'desk root') use.raise('deny', 'it would move the desk away');
  }
}

function judgeLink(use: Use): void {
  const [target, given] = use.operands;
  if (target === undefined) return;
  const name = given ?? literal(target.text.slice(target.text.lastIndexOf('/') + 1) || 'link');
  use.writes(name);
  const from =
    !use.has('-s', '--symbolic') || /^[/~\uE000]/.test(target.text) || !name.text.includes('/')
      ? target.text
      : `${name.text.slice(0, name.text.lastIndexOf('/'))}/${target.text}`;
  use.stats({ ...target, text: from });
  const full = fullPath(use.state, from);
  const place = placeOf(use.state, from);
  if (['home', 'outside', 'device', 'workspace'].includes(place) || target.text === '/')
    use.raise('deny', 'it would make a link out of the desk');
  if (place === 'system' && /^\/(?:etc|proc|sys|boot|var)(?:\/|$)/.test(full ?? ''))
    use.raise('deny', 'it would make a link out of the desk');
  if (place === 'system' && !use.has('-s', '--symbolic'))
    use.raise('deny', 'it would make a second name for a file of the system');
  const link = fullPath(use.state, name.text);
  if (full !== null && link !== null && place === 'system') use.state.links.set(link, full);
}

function judgeRemove(use: Use): void {
  const deep = use.has('-r', '-R', '--recursive');
  for (const arg of use.operands) {
    use.writes(arg);
    if (arg.hidden) use.raise('deny', 'what it would delete is hidden');
    const { text } = arg;
    const place = placeOf(use.state, text);
    const everything =
      /^(?:\.?\/?|\.\/)?(?:\*|\.\*|\.\[!\.\]\*|\{,\.\}\*)$/.test(text) && use.state.cwd === use.state.where.desk;
    if (place === 'desk root' || (deep && everything)) use.raise('deny', 'it would delete everything on the desk');
    if (deep && (/^\uE000\/?[*.]*$/.test(text) || (use.state.cwd === null && /^[.*]/.test(text))))
      use.raise('external_mutation', 'what it deletes is not known before it runs');
    if (SCRATCH_ROOT.test((fullPath(use.state, text) ?? text).replace(/(?<=.)\/\*?$/, '')))
      use.raise('deny', 'it would delete scratch files of others');
  }
}

/** The suffix of a backup must not lead to another folder. */
function judgeSuffix(value: Arg | null, use: Use): void {
  if (value?.text.includes('/')) use.raise('deny', `${use.name} would write a backup somewhere else`);
}

function judgeMode(mode: Arg | null, use: Use): void {
  const text = mode?.text ?? '';
  if (/^[0-7]?[2-7][0-7]{3}$|[ugoa]*\+[rwxX]*[st]|[ugoa]*=[rwxX]*s/.test(text) && !/^0?[01]?[0-7]{3}$/.test(text))
    use.raise('deny', 'it would let a program run as another user');
}

function judgeSize(size: Arg | null, use: Use): void {
  if (size !== null && bytesOf(size.text) > LARGE) use.raise('deny', 'it would fill the disk');
}

function bytesOf(text: string): number {
  const [, digits = '0', unit = ''] = /(\d+(?:\.\d+)?)\s*([a-zA-Z]?)/.exec(text) ?? [];
  const power = 'bkmgtpezy'.indexOf(unit.toLowerCase());
  return Number(digits) * 1024 ** Math.max(0, power);
}

function judgeDd(use: Use): void {
  const value = (name: string): Arg | undefined => {
    const arg = use.args.find(({ text }) => text.startsWith(`${name}=`));
    return arg && { ...arg, text: arg.text.slice(name.length + 1) };
  };
  const [from, to] = [value('if'), value('of')];
  if (to) use.writes(to);
  const endless = from !== undefined && placeOf(use.state, from.text) === 'endless';
  if (from && !endless) use.reads(from);
  if (endless && value('count') === undefined) use.raise('deny', 'dd would never end');
  if (bytesOf(value('bs')?.text ?? '512') * Number(value('count')?.text ?? 1) > LARGE)
    use.raise('deny', 'it would fill the disk');
  markBounded(use, true);
}

/** Whichever arguments are files: none may be outside the desk, and none may run something. */
function judgeMedia(use: Use): void {
  for (const arg of use.args) {
    const { text } = arg;
    if (/^(?:-shell-escape|--shell-escape|-enable-write18|-pdflatex=|-latex=|-e$)/.test(text))
      use.raise('deny', `${use.name} ${text} runs a program`);
    if (/^(?:x11grab|avfoundation|gdigrab|dshow|v4l2|alsa|pulse|oss|kmsgrab|fbdev|xcbgrab)$/.test(text))
      use.raise('external_mutation', `${use.name} would record the screen, the camera or the microphone`);
    if (/^(?:https?|ftp|rtmp|rtsp|tcp|udp):/.test(text))
      use.raise('external_mutation', `${use.name} would reach the network`);
    if (
      /^(?:msl|ephemeral|label:@|text:|caption:@|mvg|concat:\/|pipe:)|^\|/.test(text) &&
      text !== 'pipe:1' &&
      text !== 'pipe:0'
    )
      use.raise('deny', `${use.name} is given something that runs or hides a file`);
    if (/^[/~]|^\.\.\//.test(text)) (use.args.at(-1) === arg ? use.writes : use.reads)(arg);
  }
  judgePathsInWords(use, false);
  if (use.args.some(({ text }) => /^(?:macro:|vnd\.sun\.star|-env:|--shell$|-dNOSAFER|-dDELAYSAFER)/.test(text)))
    use.raise('deny', `${use.name} is given something that runs code`);
  if (use.name === 'gs' && !use.has('-dSAFER') && use.args.some(({ text }) => text.includes('%pipe%')))
    use.raise('deny', 'gs would run a program');
}

function judgeRename(use: Use): void {
  const [expression, ...rest] = use.operands;
  if (
    /\b(?:system|exec|qx|open|unlink|eval)\b|`|[\s/gimsx]e[gimsx]*$/.test(expression?.text ?? '') &&
    !/^[sy]\/(?:[^/\\]|\\.)*\/[^/`$()]*\/[gi]*$/.test(expression?.text ?? '')
  )
    use.raise('deny', 'rename would run code');
  rest.forEach(use.writes);
}
