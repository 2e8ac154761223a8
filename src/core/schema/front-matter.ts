/**
 * Owns: reading markdown with front matter. The only door to gray-matter and yaml.
 *
 * F1 Nothing in a file is ever executed: only a plain `---` fence opens front matter, every other engine is refused.
 * F2 YAML is read strictly: plain unique keys, no aliases, no tags beyond JSON's types, bounded size and depth.
 * F3 What a person most likely meant as front matter, and what is not exactly that, is refused with its line: read as
 *    text, its fields would be lost silently.
 */
import matter from 'gray-matter';
import { type Document, isCollection, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { OkaError } from './errors.ts';
import { isJson, type Json } from './json.ts';

type FrontMatter = { data: { [key: string]: Json }; body: string };

const MOST_BYTES = 64 * 1024;
const DEEPEST = 20;

export function readFrontMatter(text: string, source: string): FrontMatter {
  const unix = withUnixLines(text);
  if (!opensFrontMatter(unix, source)) return { data: {}, body: unix };
  const { header, body } = splitFrontMatter(unix, source);
  if (Buffer.byteLength(header) > MOST_BYTES)
    throw refusal(source, 1, `front matter is longer than ${MOST_BYTES / 1024} KB`);
  const { data } = matter(`---\n${header}---\n`, { language: 'yaml', engines: enginesFor(source) });
  return { data, body };
}

/** Finds the line of a value in front matter that `readFrontMatter` has read, or of the nearest value around it. */
export function linesIn(text: string, source: string): (path: readonly PropertyKey[]) => number {
  const unix = withUnixLines(text);
  if (!opensFrontMatter(unix, source)) return () => 1;
  return linesOfYaml(`\n${splitFrontMatter(unix, source).header}`);
}

/** Finds the line of a value in YAML, or in JSON, which is YAML, too; or of the nearest value around it. */
export function linesOfYaml(text: string): (path: readonly PropertyKey[]) => number {
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', lineCounter: lines });
  return (path) => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const found: unknown = document.getIn(path.slice(0, depth), true);
      if (isNode(found) && found.range) return lines.linePos(found.range[0]).line;
    }
    return 1;
  };
}

/** The text without a byte order mark, with "\\n" as the end of each line; an old Mac file has "\\r" alone. */
export function withUnixLines(text: string): string {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return clean.includes('\n') ? clean.replaceAll('\r\n', '\n') : clean.replaceAll('\r', '\n');
}

function opensFrontMatter(text: string, source: string): boolean {
  const first = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n')).trimEnd();
  if (first === '---') return true;
  if (/^---[^-\s]/.test(first))
    throw refusal(
      source,
      1,
      `front matter in "${first.slice(3, 40)}" is not read; only plain YAML between --- lines is`,
    );
  assertNoNearMiss(text, source);
  return false;
}

/** Dashes of any kind and length, also spaced, indented or with a word behind them, and the fences of other formats. */
const FENCE_LIKE = /^(?:[-\u2010-\u2015\u2212]{2,}(?:\s.*)?|[\u2013-\u2015][-\s]*|- - -|_{3,}|\+{3})$/;
const FIELD_LIKE = /^(?:[A-Za-z_][\w-]*|"[^"]+"|'[^']+')\s*[:=](?:\s|$)/;
const INVISIBLE = /[\s\p{Cf}]/u;

/** F3: the first line that is not blank looks like a fence, and the next one like a field. */
function assertNoNearMiss(text: string, source: string): void {
  let start = 0;
  while (start < text.length && INVISIBLE.test(text[start] ?? '')) start += 1;
  const lines = text.slice(start, start + MOST_BYTES).split('\n');
  const fence = (lines[0] ?? '').trim();
  if (!FENCE_LIKE.test(fence)) return;
  const next = lines.slice(1).find((line) => line.trim() !== '' && !line.startsWith('#'));
  if (next === undefined || !FIELD_LIKE.test(next)) return;
  const line = text.slice(0, start).split('\n').length;
  const what =
    fence === '---'
      ? 'this --- looks like the start of front matter, which must be the first line of the file, with nothing above or before it'
      : `"${fence.slice(0, 40)}" looks like the start of front matter, which is a line of exactly three dashes: ---`;
  throw refusal(source, line, what);
}

/** Text between the fences and behind. gray-matter ends at the first line that starts with ---: only a fence may. */
function splitFrontMatter(text: string, source: string): { header: string; body: string } {
  const end = text.indexOf('\n---');
  if (end === -1) throw refusal(source, 1, 'front matter is not closed: the second --- line is missing');
  const fence = text.slice(end + 1).split('\n', 1)[0] ?? '';
  const line = text.slice(0, end + 1).split('\n').length;
  if (fence.trimEnd() !== '---')
    throw refusal(source, line, `"${fence.slice(0, 40)}" starts with --- but is not the closing fence`);
  return { header: text.slice(text.indexOf('\n') + 1, end + 1), body: text.slice(end + 1 + fence.length + 1) };
}

function enginesFor(source: string): Record<string, { parse: (text: string) => object }> {
  const refuse = {
    parse: () => {
      throw refusal(source, 1, 'only YAML front matter is read');
    },
  };
  return {
    yaml: { parse: (text) => strictYaml(text, source) },
    js: refuse,
    javascript: refuse,
    json: refuse,
    coffee: refuse,
    toml: refuse,
  };
}

function strictYaml(text: string, source: string): object {
  const lines = new LineCounter();
  const at = (position: number): number => lines.linePos(position).line;
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    stringKeys: true,
    resolveKnownTags: false,
    lineCounter: lines,
    prettyErrors: false,
  });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw refusal(source, at(problem.pos[0]), problem.message);
  assertPlain(document, (node, what) => refusal(source, at(node.range?.[0] ?? 0), what));
  const data: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw refusal(source, 1, 'front matter must be a list of "name: value" lines');
  if (!isJson(data)) throw refusal(source, 1, 'front matter contains a value that is not plain data');
  return data;
}

type Placed = { range?: readonly number[] | null | undefined };

function assertPlain(document: Document.Parsed, refused: (node: Placed, what: string) => OkaError): void {
  visit(document, {
    Alias: (_, node) => {
      throw refused(node, 'YAML aliases are not read');
    },
    Collection: (_, node, path) => {
      if (path.filter((outer) => isCollection(outer)).length >= DEEPEST)
        throw refused(node, `nested more than ${DEEPEST} deep`);
    },
    Scalar: (_, node) => {
      if (!isJson(node.value)) throw refused(node, `"${node.source}" is not plain data`);
    },
  });
}

function refusal(source: string, line: number, what: string): OkaError {
  return new OkaError('invalid-file', `${source}, line ${line}: ${what}`);
}
