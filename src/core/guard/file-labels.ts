/**
 * Owns: which files of the desk a run may read without having read something private. Pure.
 *
 * L1 A file is public if the task lists it, and no link leads to it: which file a link names tells something, too. What the
 *    run itself has written is nothing that it could learn.
 * L2 A content has its label wherever it is moved: what comes from a private path is private below a public one, too.
 *    That holds across tasks: what a call of a run has written is private if that run had read something private by then,
 *    wherever a later task finds it. A person takes the label away by putting something else there.
 * L3 A tool that tells anything about a content has read it, also whether a text is in it, how long it is, or that it is
 *    there; that a public file cannot be read tells what has become of it.
 */
import { posix } from 'node:path';
import type { Json } from '../schema/json.ts';
import { jsonField } from '../schema/json-field.ts';
import type { FileOrigin } from '../schema/tool.ts';

/** The calls that made a file what it is, as files.read tells them. */
export function originsOf(output: Json): FileOrigin[] {
  const origins = jsonField(output, 'origin');
  if (!Array.isArray(origins)) return [];
  return origins.map((each) => ({ run: textField(each, 'run'), call: textField(each, 'call') }));
}

function textField(value: Json, name: string): string {
  const text = jsonField(value, name);
  return typeof text === 'string' ? text : '';
}

type FileCall = { tool: string; input: Json };

export class FileLabels {
  readonly #isListed: (path: string) => boolean;
  /** Where the run has put what came from a private path. */
  readonly #private = new Set<string>();
  /** What the run has written whole. */
  readonly #own = new Set<string>();
  /** What the run has read below a public path, and is what it seemed. */
  readonly #read = new Set<string>();
  readonly #isPrivateOrigin: (origin: FileOrigin) => boolean;

  constructor(isListed: (path: string) => boolean, isPrivateOrigin: (origin: FileOrigin) => boolean = () => true) {
    this.#isListed = isListed;
    this.#isPrivateOrigin = isPrivateOrigin;
  }

  /**
   * Whether the answer to a call tells something private. Everything does that is not known to be about a public file.
   * `isDone`: whether it succeeded.
   */
  tells({ tool, input }: FileCall, output: Json, isDone: boolean): boolean {
    const path = pathField(input, 'path');
    if (tool === 'files.read') return !isDone || path === null || !this.#isPublicContent(path, output);
    if (tool === 'files.write') return jsonField(input, 'append') === true && !this.#isKnown(path);
    if (tool === 'files.edit' && isDone && path !== null && this.#isPublicContent(path, output)) return false;
    if (tool === 'files.edit' || tool === 'files.remove') return !this.#isKnown(path);
    if (tool === 'files.move') return !this.#isKnown(pathField(input, 'from'));
    return true;
  }

  /** Takes into account what a call has done to files. */
  follow({ tool, input }: FileCall): void {
    const path = pathField(input, 'path');
    if (tool === 'files.write' && path !== null && jsonField(input, 'append') !== true) this.#own.add(path);
    const [from, to] = [pathField(input, 'from'), pathField(input, 'to')];
    if (tool !== 'files.move' || from === null || to === null) return;
    if (this.#own.has(from)) this.#own.add(to);
    else if (!this.#isPublic(from)) this.#private.add(to);
  }

  /** A file that was not read may be what a run has put there, so that a question about it tells something. */
  #isKnown(path: string | null): boolean {
    return path !== null && (this.#own.has(path) || (this.#isPublic(path) && this.#read.has(path)));
  }

  #isPublicContent(path: string, output: Json): boolean {
    if (pathField(output, 'real') !== null || !this.#isPublic(path)) return false;
    if (originsOf(output).some(this.#isPrivateOrigin)) return false;
    this.#read.add(path);
    return true;
  }

  #isPublic(path: string): boolean {
    return this.#isListed(path) && !foldersOf(path).some((each) => this.#private.has(each));
  }
}

/** The path itself and every folder that it is in. */
function foldersOf(path: string): string[] {
  return path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
}

/** Relative to the desk and without detours; one that leads out of it is listed nowhere. */
function pathField(value: Json, name: string): string | null {
  const path = jsonField(value, name);
  return typeof path === 'string' ? posix.normalize(path).replace(/\/$/, '') : null;
}
