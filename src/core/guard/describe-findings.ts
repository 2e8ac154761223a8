/** Owns: telling a person, beside the call itself, what helps them to decide about it. Pure. */
import type { ToolCall } from '../schema/tool.ts';
import type { Asked } from '../schema/wait.ts';
import { escapeInvisibleLine, shorten } from './escape-invisible.ts';
import type { Described } from './judge-call.ts';
import { type Meaning, taskLine } from './task-request.ts';

/** What helps a person to decide, besides the call itself. */
export type Findings = {
  /** What the person wrote to whom the run belongs; null if nobody did. */
  task: string | null;
  meanings: readonly Meaning[];
  commits: readonly string[];
  /** What a person was shown when a call of this tool and step was asked about last time. */
  earlier: Asked | null;
};

export function describeFindings(
  call: Pick<ToolCall, 'tool' | 'input'>,
  facts: Pick<Described, 'command' | 'about'>,
  found: Findings,
  asked: Asked,
): Partial<Asked> {
  const { tool, input } = call;
  const line = taskLine({ tool, input, command: facts.command, about: facts.about }, found.task, found.meanings);
  const show = (text: string): string => shorten(escapeInvisibleLine(text), 900);
  const more = [
    { title: 'What the values stand for', lines: found.meanings.map(({ value, words }) => `${value}: ${words}`) },
    { title: 'Commits that no remote has yet', lines: [...found.commits] },
    { title: 'What has changed since you were asked last time', lines: changesSince(found.earlier, asked) },
  ];
  const shown = more.flatMap(({ title, lines }) =>
    lines.length === 0 ? [] : [{ title, lines: lines.slice(0, 20).map(show) }],
  );
  return { ...(line === null ? {} : { task: line }), ...(shown.length === 0 ? {} : { more: shown }) };
}

/** Differences to what a person was shown before, in words. */
function changesSince(earlier: Asked | null, now: Asked): string[] {
  if (earlier === null) return [];
  const before = new Map(earlier.files.map(({ path, sha256 }) => [path, sha256]));
  const files = now.files.filter(({ path, sha256 }) => before.get(path) !== sha256);
  const gone = earlier.files.filter(({ path }) => !now.files.some((each) => each.path === path));
  const values = now.values.flatMap(({ field, value }) => {
    const was = earlier.values.find((each) => each.field === field)?.value;
    return was === undefined || was === value ? [] : [`${field} was: ${was}`];
  });
  const changes = now.changes.filter((line) => !earlier.changes.includes(line));
  const found = [
    ...(now.command === earlier.command || values.length > 0 ? [] : [`It was: ${earlier.command}`]),
    ...values,
    ...files.map(({ path }) => `${path} has ${before.has(path) ? 'another content' : 'been added to what it names'}`),
    ...gone.map(({ path }) => `${path} is no longer named`),
    ...changes.map((line) => `New: ${line}`),
  ];
  return found.length > 0 ? found : ['Nothing: it is the same call again.'];
}
