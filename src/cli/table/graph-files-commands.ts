/** Graphs as files: their versions, and changing them. */
import { type Command, command } from '../command-module.ts';
import { flag } from '../options.ts';

const dryRun = flag('Only show what would change.');

export const graphFiles: Readonly<Record<string, Command>> = {
  'graph patch': command({
    summary: 'Set one field of a node, if the graph is sound then; the old version is saved',
    operands: '<graph> <node> <field> <json>',
    options: { 'dry-run': dryRun, unset: flag('Remove the field; without a value.') },
    json: true,
    example: 'oka graph patch report fetch timeout_seconds 30',
    load: () => import('../commands/graph-patch.ts'),
  }),
  'graph versions': command({
    summary: 'List the saved versions of a graph, the latest last',
    operands: '<graph>',
    json: true,
    example: 'oka graph versions report',
    load: () => import('../commands/list-graph-versions.ts'),
  }),
  'graph diff': command({
    summary: 'Compare two versions of a graph, or one with the file; exit 1 if they differ',
    operands: '<graph> [version] [version]',
    json: true,
    example: 'oka graph diff report 3f2a91',
    load: () => import('../commands/graph-diff.ts'),
  }),
  'graph rollback': command({
    summary: 'Go back to an earlier version of a graph (default: the one before)',
    operands: '<graph> [version]',
    options: { 'dry-run': dryRun },
    json: true,
    example: 'oka graph rollback report 3f2a91',
    load: () => import('../commands/graph-rollback.ts'),
  }),
};
