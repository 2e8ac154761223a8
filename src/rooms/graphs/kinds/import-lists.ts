/** Owns: texts of Anton where a list is wanted: "a, b" is two entries, "a" is one. */
import type { Json } from '../../../core/schema/json.ts';

type Note = (field: string, text: string) => void;
type Fields = { [field: string]: Json };

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The entries of a text; a template is one value, whatever it gives. */
function entriesOf(text: string): string[] | null {
  if (text.includes('{{')) return null;
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** The graph as it was written, with lists where Anton takes a text for one. */
export function withLists(value: unknown, note: Note): unknown {
  const { nodes } = isFields(value) ? value : {};
  if (!isFields(value) || !Array.isArray(nodes)) return value;
  return {
    ...value,
    nodes: nodes.map((node, index) => {
      const { branch_options: given } = isFields(node) ? node : {};
      const list = typeof given === 'string' ? entriesOf(given) : null;
      if (!isFields(node) || list === null) return node;
      note(`nodes.${index}.branch_options`, describeList(given, list));
      return { ...node, branch_options: list };
    }),
  };
}

/** The input of a tool, with lists where its schema takes nothing but a list. */
export function toWantedLists(input: Json | undefined, schema: Json | undefined, note: Note): Json | undefined {
  const { properties } = isFields(schema) ? schema : {};
  if (!isFields(input) || !isFields(properties)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([field, value]) => {
      const wanted = properties[field];
      const isWanted = isFields(wanted) && wanted['type'] === 'array';
      const list = isWanted && typeof value === 'string' ? entriesOf(value) : null;
      if (list !== null) note(field, describeList(value, list));
      return [field, list ?? value];
    }),
  );
}

const describeList = (given: Json | undefined, list: readonly string[]): string =>
  `the text ${JSON.stringify(given)} is a list here, as it has to be: ${JSON.stringify(list)}`;
