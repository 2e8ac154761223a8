import { describe, expect, it } from 'vitest';
import { unfoundCommands } from '../../../../src/rooms/task/roles/unfound-commands.ts';
import type { Event } from '../../../../src/core/schema/event.ts';

const called = (call: string, node: string, line: string, output: object, status = 'ok'): Event[] =>
  [
    { type: 'call.started', data: { call, node, tool: 'shell', class: 'write_local', input: { line } } },
    { type: 'call.ended', data: { call, node, status, output } },
  ] as unknown as Event[];

const NO_COW = { exit: 0, stdout: '', stderr: 'bash: line 1: cowsay: command not found' };

describe('a command that ended with 0 although a program in it was not there', () => {
  it.each([
    'cowsay moo > cow.txt; echo done',
    'cowsay moo | cat > cow.txt',
    'npm install -g cowsay 2>&1 | tail -2; cowsay moo > cow.txt; ls',
  ])('%s is named', (line) => {
    expect(unfoundCommands(called('c1', 'a', line, NO_COW))).toEqual([
      expect.stringContaining('a: cowsay was not found'),
    ]);
  });

  it('by the words of other shells, and where they were sent to stdout', () => {
    const dash = { exit: 0, stderr: '', stdout: '/bin/sh: 1: cowsay: not found\n' };
    expect(unfoundCommands(called('c1', 'a', 'cowsay 2>&1 | cat', dash))).toHaveLength(1);
  });

  it.each(['cowsay moo || echo moo', 'if cowsay moo; then ls; fi', '! cowsay moo'])('%s provides for it', (line) => {
    expect(unfoundCommands(called('c1', 'a', line, NO_COW))).toEqual([]);
  });

  it('what a file says is no message of the shell, and only the last command of a step counts', () => {
    expect(unfoundCommands(called('c1', 'a', 'cat build.log', { exit: 0, stdout: NO_COW.stderr, stderr: '' }))).toEqual(
      [],
    );
    const again = [
      ...called('c1', 'a', 'cowsay moo; true', NO_COW),
      ...called('c2', 'a', 'echo moo > cow.txt', { exit: 0, stdout: '', stderr: '' }),
    ];
    expect(unfoundCommands(again)).toEqual([]);
  });
});
