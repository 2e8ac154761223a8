/**
 * Owns: in which inputs the figures, names, dates and paths of a result are found. Pure.
 *
 * Whether a value is the right one is for the critic to say. Code only knows where it is.
 */
import { toOneLine } from '../../../core/schema/one-line.ts';
import { baseName } from '../../../kit/text/file-names.ts';
import { figuresIn, type TextWords, type Value, valuesIn, wordsOfText } from './traced-values.ts';

/** Whether a text contains a figure of another one. */
export function sharesFigure(text: string, other: string): boolean {
  const found = new Set(figuresIn(other));
  return figuresIn(text).some((figure) => found.has(figure));
}

/** The name of the answer among what was made. */
export const THE_ANSWER = 'the answer';

export type Inputs = {
  task: string;
  /** What was made: files and the answer. */
  made: readonly { name: string; text: string }[];
  /** What steps have read, and the files as they were before. */
  read: readonly { name: string; text: string }[];
  /** Files that the task gives or names. */
  given: readonly string[];
  /** What calls were given, as text. */
  calls: readonly string[];
  /** Figures of the worker that its commands have shown to be right. */
  computed?: readonly string[];
  /** What other commands of the worker have printed that only read. */
  printed?: readonly string[];
};

/** A language that writes more than names with capitals says nothing by them. */
const MOST_NEW_NAMES = 0.5;
const FEW_NAMES = 4;
const MOST_SHOWN = 20;
const MOST_SOURCES = 6;

/** Where the values of a result are found, and which inputs nobody has read; empty when there is nothing to say. */
export function describeSources({ task, made, read, given, calls, computed = [] }: Inputs): string {
  const asked = wordsOfText([task, ...given, ...made.map(({ name }) => name)].join('\n'));
  const inputs = read.flatMap(({ name, text }): Input[] =>
    text === '' ? [] : [{ name: shortName(name), text: wordsOfText(text) }],
  );
  const lines = made.flatMap(({ name, text }) => {
    const values = valuesIn(text).filter((value) => !value.isIn(asked));
    const strange = values.filter((value) => !inputs.some((input) => value.isIn(input.text)));
    const areNames =
      strange.filter(isName).length <= Math.max(FEW_NAMES, values.filter(isName).length * MOST_NEW_NAMES);
    const unknown = areNames ? strange : strange.filter((value) => !isName(value));
    const sources = sourcesOf(values, inputs);
    const said = [...sources, ...(unknown.length === 0 ? [] : [`in no input: ${listed(unknown)}`])];
    return said.length === 0 ? [] : [`${shortName(name)}: ${said.join('; ')}`];
  });
  const unread = given.filter((path) => !calls.some((call) => isRead(path, call)));
  const unused = unusedValues(made, computed);
  return [
    ...lines,
    ...(unused.length === 0
      ? []
      : [`computed, and in nothing that was made: ${unused.slice(0, MOST_SHOWN).join(', ')}`]),
    ...(unread.length === 0 ? [] : [`no step has read: ${unread.slice(0, MOST_SHOWN).join(', ')}`]),
  ].join('\n');
}

/** What was computed, and is in nothing that was made. */
export function unusedValues(made: Inputs['made'], computed: readonly string[]): string[] {
  const results = made.map(({ text }) => wordsOfText(text));
  return computed.filter((value) => {
    const parts = valuesIn(value);
    if (parts.length === 0) return !results.some(({ text }) => text.includes(value.toLowerCase()));
    return parts.every((part) => !results.some((text) => part.isIn(text)));
  });
}

const isName = ({ kind }: Value): boolean => kind === 'name';

type Input = { name: string; text: TextWords };

/** Where there is a choice of inputs: which values are found in one of them alone. */
function sourcesOf(values: readonly Value[], inputs: readonly Input[]): string[] {
  if (new Set(inputs.map(({ name }) => name)).size < 2) return [];
  const alone = Map.groupBy(values, (value) => {
    const names = new Set(inputs.filter(({ text }) => value.isIn(text)).map(({ name }) => name));
    return names.size === 1 ? [...names].join('') : '';
  });
  const known = [...alone].filter(([name]) => name !== '').slice(0, MOST_SOURCES);
  return known.map(([name, found]) => `only in ${name}: ${listed(found)}`);
}

const listed = (values: readonly Value[]): string =>
  values
    .slice(0, MOST_SHOWN)
    .map(({ text }) => text)
    .join(', ');

/** What a call was about: its file, address or command. */
export const shortName = (name: string): string =>
  toOneLine(/"(?:path|url|line)":"((?:[^"\\]|\\.)+)/.exec(name)?.[1] ?? name, 80);

/** A call names the file itself, or it searched or used a pattern, and may have read it. */
const isRead = (path: string, call: string): boolean => call.includes(baseName(path)) || /[*?]|"pattern":/.test(call);
