/** For other programs: handing tasks to oka, and seeing what becomes of them. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { count, flag } from '../../../kit/cli/options.ts';

export const forOthers: Readonly<Record<string, Command>> = {
  'mcp serve': command({
    summary: 'Be an MCP server on stdin and stdout: other programs hand over tasks and fetch results',
    options: { 'read-only': flag('Only status, results and memory: no tasks, no cancelling.') },
    example: 'oka mcp serve --dir ~/assistant',
    load: () => import('../../assistant/mcp-serve.ts'),
  }),
  watch: command({
    summary: 'Print one line of JSON for each event of interest, until Ctrl-C: tasks, runs, questions',
    options: {
      since: count(
        'CURSOR',
        'Begin behind this cursor of an earlier line; 0 for all of history. Without it: from now on.',
      ),
    },
    example: 'oka watch --since 1200',
    load: () => import('../../../rooms/runs/commands/watch.ts'),
  }),
};
