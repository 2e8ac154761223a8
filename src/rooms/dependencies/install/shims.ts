/**
 * Owns: the programs that come before npm and pnpm in the PATH of a step. Only the installer writes .oka/tools, so a
 * step that installs a package for everybody is answered here: it is there, or it is named as what is missing, and then
 * installed by deps.install like every other. Everything else goes on to the real program.
 */
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../core/ledger/disk.ts';
import { listEntries, shimFolder } from '../../../kit/sandbox/tool-links.ts';

const NAMES = ['npm', 'pnpm'];

/** What a shim says of a package; read by detect-node.ts. */
export const SHIM_MISSING = /^oka: the package (\S+) is not installed yet$/m;

const TEXT = `#!/bin/sh
# Made by oka: packages for everybody are installed by oka itself, below .oka/tools.
name=\${0##*/}
here=$(cd "\${0%/*}" && pwd)
modules=$here/../node/lib/node_modules

goes_on() {
  real=
  IFS=:
  for folder in $PATH; do
    [ "$folder" = "$here" ] || [ ! -x "$folder/$name" ] || { real=$folder/$name; break; }
  done
  unset IFS
  [ -z "$real" ] || exec "$real" "$@"
  echo "$name: command not found" >&2
  exit 127
}

verb=
global=
wanted=
for word; do
  case $word in
    -g | --global | --location=global) global=yes ;;
    --prefix* | --dir* | -C | --global-dir* | --global-bin-dir*) goes_on "$@" ;;
    -*) ;;
    *[!A-Za-z0-9@/._~^-]* | .* | /* | *//*) goes_on "$@" ;;
    *) if [ -z "$verb" ]; then verb=$word; else wanted="$wanted $word"; fi ;;
  esac
done
[ -n "$global" ] && [ -n "$wanted" ] || goes_on "$@"
case $verb in install | i | in | ins | add) ;; *) goes_on "$@" ;; esac
for spec in $wanted; do
  case $spec in
    ?*@*) package=\${spec%@*} version=\${spec##*@} ;;
    *) package=$spec version= ;;
  esac
  case $version in [0-9]*.[0-9]*.[0-9]*) exact="\\"version\\": *\\"$version\\"" ;; *) exact=version ;; esac
  grep -q "$exact" "$modules/$package/package.json" 2>/dev/null && continue
  echo "oka: the package $spec is not installed yet" >&2
  exit 1
done
echo "oka: installed below .oka/tools:$wanted"
`;

/** On a full disk there are none: then npm itself says that it may not write there. */
export function writeShims(tools: string): boolean {
  const folder = shimFolder(tools);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of NAMES)
      if (!isUnchanged(join(folder, name))) replaceFile(join(folder, name), TEXT, { mode: 0o755 });
    return true;
  } catch {
    return false;
  }
}

/** Names in the folder of shims that are not as they were made. */
export function findChangedShims(tools: string): string[] {
  return listEntries(shimFolder(tools)).filter(
    (name) => !NAMES.includes(name) || !isUnchanged(join(shimFolder(tools), name)),
  );
}

function isUnchanged(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o111) !== 0 && readFileSync(file, 'utf8') === TEXT;
}
