/** Paths anywhere in the arguments of a program: alone, after an option, after a scheme. */
import { placeOf } from '../paths.ts';
import type { Use } from '../program-row.ts';
import { type Arg, literal, toDisplay } from '../shell-state.ts';
import { judgeLoadedCode } from './desk-code.ts';

/** Options whose path is written to, so that it may be in scratch. */
const OUTPUT =
  /^(?:-[oBdw]|--?(?:build$|test-dir$|out|output|dest|report|log|cache|cov|coverage|junit|basetemp|tmp|temp|target-dir|build-dir|prefix|save|write|save-dir|artifacts?|html|json|xml|profile-dir)[\w-]*)$/i;
/** Files of the system that anybody may build against. */
const SHARED = /^\/(?:usr|lib\d*|opt|bin|sbin)(?:\/|$)/;

/** A path outside the desk needs an approval; where `code` is loaded, scratch counts as outside too. */
export function judgePathsInWords(use: Use, code: boolean): void {
  use.args.forEach((arg, at) => {
    const before = use.args[at - 1]?.text ?? '';
    const option = /^-{1,2}[\w-]+(?==)/.exec(arg.text)?.[0] ?? (before.startsWith('-') ? before : '');
    for (const path of pathsIn(arg.text)) judgePath(use, path, code && !OUTPUT.test(option));
  });
}

function judgePath(use: Use, path: string, code: boolean): void {
  const { state, raise, name } = use;
  const place = placeOf(state, path);
  const far = ['home', 'outside', 'device', 'workspace'].includes(place) || (place === 'system' && !SHARED.test(path));
  if (far) raise('external_mutation', `${name} would work on ${toDisplay(path)}, which is outside the desk`);
  else if (code && place === 'scratch')
    raise('external_mutation', `${name} would take ${toDisplay(path)} from scratch, which was never reviewed`);
  if (far) use.stats(literal(path));
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
      judgeLoadedCode(use, { ...arg, text: inline[2] ?? '' });
    if (options.test(arg.text) && use.args[at + 1]) judgeLoadedCode(use, use.args[at + 1] as Arg);
  });
}
