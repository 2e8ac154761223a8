/** Graphs as files: making, changing and deleting them, and their versions. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { choice, flag, text } from '../../../kit/cli/options.ts';

const dryRun = flag('Only show what would change.');

export const graphFiles: Readonly<Record<string, Command>> = {
  'graph list': command({
    summary: 'List the graphs in workspace/graphs, and whether each can run',
    json: true,
    example: 'oka graph list',
    load: () => import('./graph-list.ts'),
  }),
  'graph new': command({
    summary: 'Start a graph from a template that needs no model; without one, list them',
    operands: '[template]',
    options: { as: text('NAME', 'Its name (default: that of the template).') },
    json: true,
    example: 'oka graph new page-watch --as prices',
    load: () => import('./graph-new.ts'),
  }),
  'graph delete': command({
    summary: 'Delete a graph; its versions stay, and rollback restores it',
    operands: '<graph>',
    options: { yes: flag('Do not ask.') },
    json: true,
    example: 'oka graph delete report --yes',
    load: () => import('./graph-delete.ts'),
  }),
  'graph render': command({
    summary: 'Draw a graph, or how a run of it went, as Mermaid, SVG or Graphviz',
    operands: '<graph>',
    options: {
      format: choice(['mermaid', 'svg', 'dot'], 'FORMAT', 'mermaid (default), svg or dot; -o x.svg says it, too.'),
      run: text('RUN', 'Show how this run went.'),
      out: text('FILE', 'Write the picture into a file.', 'o'),
    },
    json: true,
    example: 'oka graph render report -o report.svg',
    load: () => import('./graph-render.ts'),
  }),
  'graph patch': command({
    summary: 'Set one field of a node, if the graph is sound then; the old version is saved',
    operands: '<graph> <node> <field> <json>',
    options: { 'dry-run': dryRun, unset: flag('Remove the field; without a value.') },
    json: true,
    example: 'oka graph patch report fetch timeout_seconds 30',
    load: () => import('./graph-patch.ts'),
  }),
  'graph build': command({
    summary: 'Let a model write a graph; you see what it would do before it is saved',
    operands: '<intent>',
    options: {
      as: text('ID', 'Name of the graph (default: the first words).'),
      save: flag('Save it without asking.'),
      picture: text('FILE', 'Draw it as SVG, too.'),
      model: text('NAME', 'Another model, provider:model.'),
    },
    json: true,
    example: 'oka graph build "append the titles of new.rss to news.md, each once"',
    load: () => import('./graph-build.ts'),
  }),
  'graph import': command({
    summary: 'Save a graph of Anton as a graph of oka, and say what differs; exit 1 if it cannot be',
    operands: '<file>',
    options: { 'dry-run': dryRun, as: text('ID', 'Another name for the graph.') },
    json: true,
    example: 'oka graph import old/report.json --as report',
    load: () => import('./graph-import.ts'),
  }),
  'graph versions': command({
    summary: 'List the saved versions of a graph, the latest last',
    operands: '<graph>',
    json: true,
    example: 'oka graph versions report',
    load: () => import('./list-graph-versions.ts'),
  }),
  'graph diff': command({
    summary: 'Compare two versions of a graph, or one with the file; exit 1 if they differ',
    operands: '<graph> [version] [version]',
    json: true,
    example: 'oka graph diff report 3f2a91',
    load: () => import('./graph-diff.ts'),
  }),
  'graph rollback': command({
    summary: 'Go back to an earlier version of a graph (default: the one before)',
    operands: '<graph> [version]',
    options: { 'dry-run': dryRun },
    json: true,
    example: 'oka graph rollback report 3f2a91',
    load: () => import('./graph-rollback.ts'),
  }),
};
