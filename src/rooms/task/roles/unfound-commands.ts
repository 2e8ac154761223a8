/**
 * Owns: what failed inside a command that ended with exit status 0, since a pipe or a list hides it: a program that was
 * not there, and a package manager that could not install. Pure.
 *
 * The last command of a step counts: a worker that has seen the message may have found another way since. A command that
 * provides for a failure (`||`, `if`, `!`) is taken at its word. Where the shell recorded nothing, its message counts.
 */
import type { Event } from '../../../core/schema/event.ts';
import type { Json } from '../../../core/schema/json.ts';
import { providesForFailure } from '../../../kit/sandbox/exit-trace.ts';

const NOT_FOUND =
  /(?:^|\n)(?:\S*\/)?(?:ba|da)?sh: (?:line )?\d+: (?:line \d+: )?([\w.@+-]{1,80}): (?:command )?not found/g;

/** One reason for each step whose command hid a failure. */
export function unfoundCommands(events: readonly Event[]): string[] {
  const last = new Map<string, { line: string; output: Json }>();
  const lines = new Map<string, string>();
  for (const { type, data } of events) {
    if (type === 'call.started' && data.tool === 'shell') lines.set(data.call, lineOf(data.input));
    if (type !== 'call.ended' || data.node === null) continue;
    const line = lines.get(data.call);
    if (line !== undefined) last.set(data.node, { line, output: data.status === 'ok' ? data.output : null });
  }
  return [...last].flatMap(([node, { line, output }]) => {
    const what = describeHidden(line, output);
    return what === null ? [] : [`${node}: ${what}, although its command ended with exit status 0`];
  });
}

const lineOf = (input: Json): string => {
  const { line } = (input ?? {}) as { line?: Json };
  return typeof line === 'string' ? line : '';
};

function describeHidden(line: string, output: Json): string | null {
  const { stdout, stderr, failed_inside } = (output ?? {}) as Record<string, Json>;
  const noted = Array.isArray(failed_inside) ? failed_inside.map(String) : [];
  const programs = [stdout, stderr].flatMap((text) =>
    typeof text === 'string' ? [...text.matchAll(NOT_FOUND)].map(([, program = '']) => program) : [],
  );
  const unfound = [...new Set(programs)].filter(
    (program) =>
      line.includes(program) && !providesForFailure(line) && !noted.some((each) => each.includes(` ${program}`)),
  );
  const parts = [
    ...noted.map((each) =>
      each
        .replace(/^exit 127: (.+)$/, '$1 was not found')
        .replace(/^exit (\d+): (.+)$/, '$2 ended with exit status $1'),
    ),
    ...(unfound.length === 0 ? [] : [`${unfound.join(', ')} was not found`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
