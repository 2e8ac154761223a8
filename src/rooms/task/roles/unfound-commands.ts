/**
 * Owns: programs that a command called and that were not there, although it ended with exit status 0: a pipe or a list
 * hides that. Pure.
 *
 * The last command of a step counts: a worker that has seen the message may have found another way since. A command that
 * provides for a failure (`||`, `if`, `!`) is taken at its word.
 */
import type { Event } from '../../../core/schema/event.ts';
import type { Json } from '../../../core/schema/json.ts';

const NOT_FOUND =
  /(?:^|\n)(?:\S*\/)?(?:ba|da)?sh: (?:line )?\d+: (?:line \d+: )?([\w.@+-]{1,80}): (?:command )?not found/g;
const PROVIDES = /\|\||(?:^|[;&|\s])(?:if|while|until|!|command|type|which)\s/;

/** One reason for each step whose command called a program that was not found. */
export function unfoundCommands(events: readonly Event[]): string[] {
  const last = new Map<string, { line: string; programs: string[] }>();
  const lines = new Map<string, string>();
  for (const { type, data } of events) {
    if (type === 'call.started' && data.tool === 'shell') lines.set(data.call, lineOf(data.input));
    if (type !== 'call.ended' || data.node === null) continue;
    const line = lines.get(data.call);
    if (line !== undefined) last.set(data.node, { line, programs: data.status === 'ok' ? missingIn(data.output) : [] });
  }
  return [...last].flatMap(([node, { line, programs }]) => {
    const called = programs.filter((program) => line.includes(program));
    return called.length === 0 || PROVIDES.test(line)
      ? []
      : [`${node}: ${called.join(', ')} was not found, although its command ended with exit status 0`];
  });
}

const lineOf = (input: Json): string => {
  const { line } = (input ?? {}) as { line?: Json };
  return typeof line === 'string' ? line : '';
};

function missingIn(output: Json): string[] {
  const { stdout, stderr } = (output ?? {}) as { stdout?: Json; stderr?: Json };
  return [
    ...new Set(
      [stdout, stderr].flatMap((text) =>
        typeof text === 'string' ? [...text.matchAll(NOT_FOUND)].map(([, program = '']) => program) : [],
      ),
    ),
  ];
}
