/**
 * Owns: reading markdown with front matter. The only door to gray-matter and yaml.
 *
 * F1 Nothing in a file is ever executed: only a plain `---` fence opens front matter, every other engine is refused.
 * F2 YAML is read strictly: plain unique keys, no aliases, no tags beyond JSON's types, bounded size and depth.
 */
import matter from 'gray-matter';
import { type Document, isCollection, isNode, LineCounter, parseDocument, visit } from 'yaml';
import { OkaError } from './errors.ts';
import { isJson, type Json } from './json.ts';

export type FrontMatter = { data: { [key: string]: Json }; body: string };

const MOST_BYTES = 64 * 1024;
const DEEPEST = 20;

export function readFrontMatter(text: string, source: string): FrontMatter {
  const clean = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const unix = clean.replaceAll('\r\n', '\n');
  if (!opensFrontMatter(unix, source)) return { data: {}, body: unix };
  const { header, body } = splitFrontMatter(unix, source);
  if (Buffer.byteLength(header) > MOST_BYTES)
    throw refusal(source, 1, `front matter is longer than ${MOST_BYTES / 1024} KB`);
  const { data } = matter(`---\n${header}---\n`, { language: 'yaml', engines: enginesFor(source) });
  return { data, body };
}

/** Finds the line of a value in front matter that `readFrontMatter` has read, or of the nearest value around it. */
export function linesIn(text: string, source: string): (path: readonly PropertyKey[]) => number {
  const unix = (text.startsWith('\uFEFF') ? text.slice(1) : text).replaceAll('\r\n', '\n');
  if (!opensFrontMatter(unix, source)) return () => 1;
  const lines = new LineCounter();
  const document = parseDocument(`\n${splitFrontMatter(unix, source).header}`, { version: '1.2', lineCounter: lines });
  return (path) => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const found: unknown = document.getIn(path.slice(0, depth), true);
      if (isNode(found) && found.range) return lines.linePos(found.range[0]).line;
    }
    return 1;
  };
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
  return false;
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
