/** Modules of Python that are not there. */
import { isStandardModule, moduleRow } from './known-python.ts';
import type { Failure, Found } from './command-failure.ts';

/** The last error of a traceback, with the mark that pytest puts before it. */
const LAST_ERROR = /^(?:E +)?([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning))\b(.*)$/gm;
const NO_MODULE = /^: No module named '?([A-Za-z_][\w.]*)'?(; '\S+' is not a package)?$/;
const BY_OPTION = /^\S*python[\d.]*: No module named ([A-Za-z_][\w.]*)$/gm;
const LIBRARY = /^: .*\.so[.\d]*: cannot open shared object file/;

/** Names that people give to files of their own. */
const OWN_NAMES = new Set(
  'app apps api src source lib libs main util utils helper helpers common config conf settings setup core models model views tests test conftest data db database scripts script module package my mymodule mypackage foo bar local project shared types constants base'.split(
    ' ',
  ),
);

export function missingPythonModule({ text }: Failure): Found | null {
  const error = [...text.matchAll(LAST_ERROR)].at(-1);
  if (error !== undefined && /^(?:ModuleNotFoundError|ImportError)$/.test(error[1] ?? '')) {
    const [, name, inside] = NO_MODULE.exec(error[2] ?? '') ?? [];
    const isFirstHand = /Traceback \(most recent call last\)|^E +/m.test(text);
    if (name !== undefined && inside === undefined && isFirstHand && !LIBRARY.test(error[2] ?? ''))
      return toModuleNeed(name, error.index);
  }
  const byOption = [...text.matchAll(BY_OPTION)].at(-1);
  return byOption === undefined ? null : toModuleNeed(byOption[1] ?? '', byOption.index);
}

/** A dotted name means that its first part is there: a package of its own only where the table knows one. */
function toModuleNeed(name: string, at: number): Found | null {
  if (name.includes('.') && moduleRow(name) === undefined) return null;
  if (OWN_NAMES.has(name.toLowerCase())) return null;
  if (isStandardModule(name)) return { kind: 'library', name: `python:${name}`, at };
  return { kind: 'python', name, at };
}
