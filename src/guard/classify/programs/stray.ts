/** Paths wherever they stand in the words of a program: alone, behind an option, behind a scheme. */
import { placeOf } from '../paths.ts';
import type { Use } from '../row.ts';
import { type Arg, literal, shown } from '../scene.ts';
import { loadsCode } from './local.ts';

/** Options after which a path is written, so that scratch is a good place for it. */
const OUTPUT =
  /^(?:-[oBdw]|--?(?:build$|test-dir$|out|output|dest|report|log|cache|cov|coverage|junit|basetemp|tmp|temp|target-dir|build-dir|prefix|save|write|save-dir|artifacts?|html|json|xml|profile-dir)[\w-]*)$/i;
/** Files of the system that anybody may build against. */
const SHARED = /^\/(?:usr|lib\d*|opt|bin|sbin)(?:\/|$)/;

/** What lies outside the desk is asked about; where `code` is loaded, scratch is outside too. */
export function strayPaths(use: Use, code: boolean): void {
  use.args.forEach((arg, at) => {
    const before = use.args[at - 1]?.text ?? '';
    const option = /^-{1,2}[\w-]+(?==)/.exec(arg.text)?.[0] ?? (before.startsWith('-') ? before : '');
    for (const path of pathsIn(arg.text)) stray(use, path, code && !OUTPUT.test(option));
  });
}

function stray(use: Use, path: string, code: boolean): void {
  const { scene, raise, name } = use;
  const place = placeOf(scene, path);
  const far = ['home', 'outside', 'device', 'workspace'].includes(place) || (place === 'system' && !SHARED.test(path));
  if (far) raise('external_mutation', `${name} would work on ${shown(path)}, which is outside the desk`);
  else if (code && place === 'scratch')
    raise('external_mutation', `${name} would take ${shown(path)} from scratch, which nobody has seen`);
  if (far) use.looks(literal(path));
}

/** -o/x, --out=/x, -sFile=/x, png:/x, file:///x, {/x}, a:/x,/y. */
function pathsIn(text: string): string[] {
  if (/^(?:https?|ftp|git|ssh|s3|gs):\/\//.test(text) || /^\/\/\S*(?::|\.\.\.)/.test(text)) return [];
  return [...text.matchAll(/(?:^|[=:,{@<]|^-[A-Za-z]|^file:\/\/)((?:\/|~\/|~$|\.\.\/)[^\s,:;{}<>|'"]*)/g)].map(
    ([, path = '']) => path,
  );
}

/** Options of build tools whose value is code. */
export function loadedBy(use: Use, options: RegExp): void {
  use.args.forEach((arg, at) => {
    const inline =
      /^(-D\w*(?:COMPILER|LAUNCHER|TOOLCHAIN_FILE|LINKER|PROGRAM)|--[\w-]+|-[A-Za-z])(?::\w+)?=?([/~.].*)$/s.exec(
        arg.text,
      );
    if (inline?.[1] && (inline[1].startsWith('-D') || options.test(inline[1])))
      loadsCode(use, { ...arg, text: inline[2] ?? '' });
    if (options.test(arg.text) && use.args[at + 1]) loadsCode(use, use.args[at + 1] as Arg);
  });
}
