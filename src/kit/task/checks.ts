/**
 * Owns: criteria that can be checked without a model, and how they are written. GRAMMAR is the one place where the forms
 * stand; help text is made from it and its examples are run as tests.
 * Does not own: which texts are meant as checks (check-words.ts), how a check is carried out (check-calls.ts).
 */
import { describeUnknownWord, leadingWordIn, PROSE } from './check-words.ts';
import { type Comparison, parseComparison } from '../text/compare.ts';
import { isRelativeInside } from '../text/glob.ts';
import { type JsonTest, parseJsonTest } from '../text/json-test.ts';
import { compilePattern } from '../../core/schema/pattern.ts';

export type Check =
  | { kind: 'file'; path: string; want: 'there' | 'filled' | 'absent' }
  | { kind: 'folder'; path: string; want: 'there' | 'filled' }
  | { kind: 'contains'; path: string; text: string; want: boolean }
  | { kind: 'matches'; path: string; pattern: string; flags: string }
  | { kind: 'json'; path: string; test: JsonTest | null }
  | { kind: 'rows'; path: string; is: Comparison; count: number }
  | { kind: 'command'; line: string }
  | { kind: 'http'; url: string; status: number | null }
  | { kind: 'unchanged'; globs: string[] }
  /** Every step of the run is done; what a runbook without criteria has to show. */
  | { kind: 'steps' };

/** Reads like a check and is none. */
type CheckProblem = {
  kind: 'problem';
  problem: string;
  /** What to write if it is meant as prose, where prose is possible. */
  asProse?: string;
};

type Form = {
  word: string;
  about: string;
  /** `about` in a few words, for a list of all forms on one line. */
  hint: string;
  examples: readonly string[];
  read: (rest: string) => Check | string;
};

export const GRAMMAR: readonly Form[] = [
  {
    word: 'file',
    about: 'A file is there, is not empty, or is absent.',
    hint: 'is there, is not empty or is absent',
    examples: ['file: report.md', 'file: out.csv is not empty', 'file: draft.txt is absent'],
    read: (rest) => readPath(rest, (path, tail) => fileCheck(path, tail)),
  },
  {
    word: 'folder',
    about: 'A folder is there, or has something in it.',
    hint: 'is there or is not empty',
    examples: ['folder: site', 'folder: site is not empty'],
    read: (rest) => readPath(rest, (path, tail) => folderCheck(path, tail)),
  },
  {
    word: 'contains',
    about: 'A text file contains a text.',
    hint: 'a text',
    examples: ['contains: report.md "Total"'],
    read: (rest) => readPath(rest, (path, tail) => textCheck(path, tail, true)),
  },
  {
    word: 'lacks',
    about: 'A text file is there and does not contain a text.',
    hint: 'a text',
    examples: ['lacks: report.md "TODO"'],
    read: (rest) => readPath(rest, (path, tail) => textCheck(path, tail, false)),
  },
  {
    word: 'matches',
    about: 'A text file matches a regular expression; flags i, m, s.',
    hint: 'a regular expression',
    examples: [String.raw`matches: report.md /^Total: \d+/m`],
    read: (rest) => readPath(rest, (path, tail) => matchCheck(path, tail)),
  },
  {
    word: 'json',
    about: 'A file is JSON, fits a JSON schema, or a field of it compares.',
    hint: 'is valid, fits a schema or has a field',
    examples: [
      'json: data.json',
      'json: data.json {"type":"object","required":["items"]}',
      'json: data.json items.length >= 3',
      'json: data.json items[0].name == "a"',
    ],
    read: (rest) => readPath(rest, (path, tail) => jsonCheck(path, tail)),
  },
  {
    word: 'rows',
    about:
      'How many rows a table has: of csv and tsv without the heading, items of a JSON list, lines of anything else.',
    hint: 'how many',
    examples: ['rows: out.csv >= 2', 'rows: names.txt == 3'],
    read: (rest) => readPath(rest, (path, tail) => rowsCheck(path, tail)),
  },
  {
    word: 'command',
    about: 'A command ends with exit status 0.',
    hint: 'exits with 0',
    examples: ['command: test -s report.md'],
    read: (rest) => (rest === '' ? 'give the command' : { kind: 'command', line: rest }),
  },
  {
    word: 'http',
    about: 'An address answers, with 2xx or with the status given.',
    hint: 'answers',
    examples: ['http: http://127.0.0.1:1/health', 'http: https://example.org/ 200'],
    read: (rest) => httpCheck(rest),
  },
  {
    word: 'unchanged',
    about: 'The run changed no file that a glob matches.',
    hint: 'files the run must not change',
    examples: ['unchanged: src/**', 'unchanged: src/** package.json'],
    read: (rest) => unchangedCheck(rest),
  },
];

/** A check, a problem when it is written like one and is none, or null when it is prose. */
export function parseCheck(text: string): Check | CheckProblem | null {
  const leading = leadingWordIn(toWrittenForm(text.trim()));
  if (leading === null) return null;
  const { word, rest } = leading;
  const form = GRAMMAR.find((each) => each.word === word.toLowerCase());
  if (form === undefined) return word.toLowerCase() === PROSE ? proseProblem(rest) : unknownWordProblem(word, rest);
  const read = form.read(rest);
  if (typeof read !== 'string') return read;
  const problem = `${read}. ${form.word} is written like: ${form.examples.join('  or  ')}`;
  return { kind: 'problem', problem };
}

const proseProblem = (rest: string): CheckProblem | null =>
  rest === '' ? { kind: 'problem', problem: 'give the sentence behind "prose:"' } : null;

/** Only a lower-case word is meant as a check: "Note: …" is a sentence. */
function unknownWordProblem(word: string, rest: string): CheckProblem | null {
  if (word !== word.toLowerCase()) return null;
  const hints = new Map(GRAMMAR.map((form) => [form.word, form.hint]));
  return { kind: 'problem', ...describeUnknownWord(word, rest, hints) };
}

/** Other wordings with only one meaning, each with the form it is read as. */
const PATH = String.raw`(?:the |a )?(?:file |table )?(\`[^\`\n]+\`|"[^"\n]+"|(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+)`;
const QUOTED = '("[^"\\n]+"|`[^`\\n]+`|“[^”\\n]+”)';
const SENTENCES: readonly (readonly [shape: RegExp, as: (...groups: string[]) => string])[] = [
  [sentence(`${PATH} (?:exists|is there|was (?:written|created|made))`), (path) => `file: ${path}`],
  [sentence(`(?:there is )${PATH}`), (path) => `file: ${path}`],
  [sentence(`${PATH} (?:exists and )?(?:is not|isn't) empty`), (path) => `file: ${path} is not empty`],
  [sentence(`${PATH} (?:does not exist|is (?:gone|absent|deleted))`), (path) => `file: ${path} is absent`],
  [
    sentence(`${PATH} (?:contains|hold[s]) (?:the (?:text|words?|line) )?${QUOTED}`),
    (path, text) => `contains: ${path} ${quote(text)}`,
  ],
  [
    sentence(`${PATH} (?:does not|doesn't) contain (?:the (?:text|words?|line) )?${QUOTED}`),
    (path, text) => `lacks: ${path} ${quote(text)}`,
  ],
  [sentence(`${PATH} (?:is|has|hold[s]) (?:valid )?JSON`), (path) => `json: ${path}`],
  [sentence(`${PATH} has at least (\\d+) (?:data )?(?:rows|lines)`), (path, count) => `rows: ${path} >= ${count}`],
  [sentence(`${PATH} has (?:exactly )?(\\d+) (?:data )?(?:rows|lines)`), (path, count) => `rows: ${path} == ${count}`],
  [
    sentence('(?:the command )?(`[^`\\n]+`) (?:passes|succeeds|works|exits (?:with )?0)'),
    (line) => `command: ${line.slice(1, -1)}`,
  ],
  [
    sentence('(https?://\\S+) (?:answers|returns|responds)(?: with)? (\\d{3})'),
    (url, status) => `http: ${url} ${status}`,
  ],
  [sentence(`${PATH} (?:is|stays|remains) (?:unchanged|untouched)`), (path) => `unchanged: ${path}`],
  [sentence(`${PATH} (?:is not|was not|has not been) (?:changed|modified|touched)`), (path) => `unchanged: ${path}`],
];

function sentence(shape: string): RegExp {
  return new RegExp(`^${shape}\\.?$`, 'i');
}

function toWrittenForm(text: string): string {
  for (const [shape, as] of SENTENCES) {
    const found = shape.exec(text);
    if (found !== null) return as(...found.slice(1));
  }
  return text;
}

const quote = (text: string): string => JSON.stringify(text.slice(1, -1));

/** Parts the path, which is quoted when it has spaces, from what follows. */
function readPath(rest: string, read: (path: string, tail: string) => Check | string): Check | string {
  const [all, ticks, quotes, bare] = /^(?:`([^`]+)`|"([^"]+)"|(\S+))(?=\s|$)/.exec(rest) ?? [];
  const path = ticks ?? quotes ?? bare;
  if (path === undefined || all === undefined) return 'give a path; one with spaces in it is put in quotes';
  if (!isRelativeInside(path) || path.length > 1000)
    return `"${path.slice(0, 100)}" is not a path inside the folder of the task`;
  return read(path, rest.slice(all.length).trim());
}

function fileCheck(path: string, tail: string): Check | string {
  if (/^(?:exists|is there)?$/i.test(tail)) return { kind: 'file', path, want: 'there' };
  if (/^(?:is )?(?:not empty|filled)$/i.test(tail)) return { kind: 'file', path, want: 'filled' };
  if (/^(?:is )?(?:absent|gone)$/i.test(tail)) return { kind: 'file', path, want: 'absent' };
  return notUnderstood(tail);
}

function folderCheck(path: string, tail: string): Check | string {
  if (/^(?:exists|is there)?$/i.test(tail)) return { kind: 'folder', path, want: 'there' };
  return /^(?:is )?(?:not empty|filled)$/i.test(tail) ? { kind: 'folder', path, want: 'filled' } : notUnderstood(tail);
}

function textCheck(path: string, tail: string, want: boolean): Check | string {
  if (tail === '') return 'give the text to search for';
  const quoted = /^"[\s\S]*"$/.test(tail) ? jsonString(tail) : /^'[^']*'$/.test(tail) ? tail.slice(1, -1) : tail;
  return quoted === '' ? 'give the text to search for' : { kind: 'contains', path, text: quoted, want };
}

function jsonString(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text.slice(1, -1);
  } catch {
    return text.slice(1, -1);
  }
}

function matchCheck(path: string, tail: string): Check | string {
  const [, pattern, flags = ''] = /^\/([\s\S]+)\/([a-z]*)$/.exec(tail) ?? [];
  if (pattern === undefined) return 'give the pattern between slashes';
  const compiled = compilePattern(pattern, flags);
  return 'problem' in compiled ? compiled.problem : { kind: 'matches', path, pattern, flags };
}

function jsonCheck(path: string, tail: string): Check | string {
  if (/^(?:parses|is valid)?$/i.test(tail)) return { kind: 'json', path, test: null };
  const test = parseJsonTest(tail);
  return typeof test === 'string' ? test : { kind: 'json', path, test };
}

function rowsCheck(path: string, tail: string): Check | string {
  const [, sign = '==', digits] = /^(==|=|!=|>=|<=|>|<|at least|at most)?\s*(\d{1,9})$/i.exec(tail) ?? [];
  if (digits === undefined) return 'say how many, such as >= 10';
  return { kind: 'rows', path, is: parseComparison(sign), count: Number(digits) };
}

function httpCheck(rest: string): Check | string {
  const [, url = '', status] = /^(\S+)(?:\s+(\d{3}))?$/.exec(rest) ?? [];
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return 'give an address that starts with http:// or https://';
  return { kind: 'http', url, status: status === undefined ? null : Number(status) };
}

function unchangedCheck(rest: string): Check | string {
  const globs = rest.split(/[\s,]+/).filter((each) => each !== '');
  if (globs.length === 0) return 'give the paths or globs';
  const wrong = globs.find((glob) => !isRelativeInside(glob));
  return wrong === undefined ? { kind: 'unchanged', globs } : `"${wrong}" is not inside the folder of the task`;
}

const notUnderstood = (tail: string): string => `"${tail.slice(0, 100)}" is not understood`;
