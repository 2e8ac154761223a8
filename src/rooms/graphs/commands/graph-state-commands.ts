/** The runs of a graph, and what it remembers from one to the next. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { choice, countOr, text } from '../../../kit/cli/options.ts';

export const graphState: Readonly<Record<string, Command>> = {
  'graph runs': command({
    summary: 'List the runs of a graph, the latest first, with what each gave',
    operands: '<graph> [limit]',
    options: {
      status: choice(
        ['done', 'failed', 'cancelled', 'running', 'blocked', 'paused'],
        'STATUS',
        'Only runs with this status.',
      ),
    },
    json: true,
    example: 'oka graph runs price-watch 5 --status failed',
    load: () => import('./graph-runs.ts'),
  }),
  'graph state show': command({
    summary: 'Show everything that a graph remembers',
    operands: '<graph>',
    json: true,
    example: 'oka graph state show price-watch',
    load: () => import('./graph-state-show.ts'),
  }),
  'graph state get': command({
    summary: 'Print one value that a graph remembers; exit 1 if there is none',
    operands: '<graph> <key>',
    json: true,
    example: 'oka graph state get price-watch price',
    load: () => import('./graph-state-get.ts'),
  }),
  'graph state set': command({
    summary: 'Change a value that a graph remembers',
    operands: '<graph> <key> <json>',
    options: { expect: text('JSON', 'Only if this is the value that is there; null = none.') },
    json: true,
    example: 'oka graph state set price-watch price 12.5',
    load: () => import('./graph-state-set.ts'),
  }),
  'graph state delete': command({
    summary: 'Remove a value that a graph remembers; exit 1 if there is none',
    operands: '<graph> <key>',
    json: true,
    example: 'oka graph state delete price-watch price',
    load: () => import('./graph-state-delete.ts'),
  }),
  'graph state history': command({
    summary: 'List the changes of what a graph remembers, and who made each',
    operands: '<graph> [key]',
    options: { limit: countOr(20, 'N', 'How many of the last to show (default 20; 0 = all).') },
    json: true,
    example: 'oka graph state history price-watch price',
    load: () => import('./graph-state-history.ts'),
  }),
  'graph state checkpoints': command({
    summary: 'Show what was known after each node of a run (default: the last run)',
    operands: '<graph> [run]',
    json: true,
    example: 'oka graph state checkpoints price-watch',
    load: () => import('./graph-state-checkpoints.ts'),
  }),
};
