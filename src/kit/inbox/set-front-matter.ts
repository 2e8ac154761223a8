/** Sets fields of front matter in the text of a task, for whoever adds one with a schedule. */
import type { Json } from '../../core/schema/json.ts';

/** Each field replaces the line of that name, or is added. Values are written as JSON, which is also YAML. */
export function setFrontMatter(text: string, fields: Readonly<Record<string, Json | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) return text;
  const lines = given.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join('');
  const [head, inner = ''] = /^\uFEFF?---[^\S\n]*\r?\n((?:(?!---).*\n)*)---/.exec(text) ?? [];
  if (head === undefined) return `---\n${lines}---\n${text}`;
  const names = given.map(([key]) => `${key}:`);
  const others = inner.split(/(?<=\n)/).filter((line) => !names.some((name) => line.startsWith(name)));
  return `---\n${others.join('')}${lines}---${text.slice(head.length)}`;
}
