/** The context tree: what the folders of a workspace contain, and what was understood of it. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { parseAge } from '../../../kit/cli/option-values.ts';
import { count, flag, parsedText, text } from '../../../kit/cli/options.ts';

const workspace = text('NAME', 'Another workspace, by its name in tree.roots of config.json.');

export const contextTree: Readonly<Record<string, Command>> = {
  'context scan': command({
    summary: 'Read what has changed in the workspace into the context tree',
    options: { force: flag('Read every file, also those that look unchanged.'), workspace },
    json: true,
    example: 'oka context scan',
    load: () => import('./context-scan.ts'),
  }),
  'context show': command({
    summary: 'Show a file or folder: what is in it, and what is known about it',
    operands: '[path]',
    options: { workspace },
    json: true,
    example: 'oka context show desk/app',
    load: () => import('./context-show.ts'),
  }),
};

export const contextStatus: Readonly<Record<string, Command>> = {
  'context status': command({
    summary: 'Show the root, how many files and frames there are, and what is stale',
    options: { workspace },
    json: true,
    example: 'oka context status --json',
    load: () => import('./context-status.ts'),
  }),
};

/** For programs, and for whoever wants to see exactly what is stored. */
export const contextFrames: Readonly<Record<string, Command>> = {
  'context get-node': command({
    summary: 'Show a node with the frames that a view selects',
    operands: '<path|id>',
    options: {
      view: text('VIEW', 'recency, type, agent, a question, or a view as JSON.'),
      max: count('N', 'At most so many frames; 10 when left out.'),
      workspace,
    },
    json: true,
    example: 'oka context get-node desk/app --view "how is it tested" --json',
    load: () => import('./context-get-node.ts'),
  }),
  'context put-frame': command({
    summary: 'Add a frame to a node: a text about it',
    operands: '<path|id> <file|->',
    options: {
      type: text('TYPE', 'summary, outline, note, or one that was declared; note when left out.'),
      agent: text('NAME', 'The agent that wrote it; oka when left out.'),
      workspace,
    },
    json: true,
    example: 'oka context put-frame desk/app notes.md --type note',
    load: () => import('./context-put-frame.ts'),
  }),
  'context list-frames': command({
    summary: 'List all frames of a node, the latest first; also of one that is gone',
    operands: '<path|id>',
    options: { type: text('TYPE', 'Only this type.'), workspace },
    json: true,
    example: 'oka context list-frames desk/app --type summary',
    load: () => import('./context-list-frames.ts'),
  }),
  'context get-head': command({
    summary: 'Show the latest frame of a type',
    operands: '<path|id>',
    options: { type: text('TYPE', 'Which type; summary when left out.'), workspace },
    json: true,
    example: 'oka context get-head desk/app --type note',
    load: () => import('./context-get-head.ts'),
  }),
  'context diff': command({
    summary: 'List the nodes and frames that changed since a scan or a time',
    operands: '<root|time> [root|time]',
    options: { workspace },
    json: true,
    example: 'oka context diff 2026-01-31',
    load: () => import('./context-diff.ts'),
  }),
  'context validate': command({
    summary: 'Compute every id, head and index again; exit 1 if one is wrong',
    options: { workspace },
    json: true,
    example: 'oka context validate',
    load: () => import('./context-validate.ts'),
  }),
  'context restore': command({
    summary: 'Give the frames of a path that is gone to another path',
    operands: '<gone> <path>',
    options: { workspace },
    json: true,
    example: 'oka context restore desk/old.md desk/new.md',
    load: () => import('./context-restore.ts'),
  }),
  'context compact': command({
    summary: 'Remove old frames, and paths that are gone, from the index',
    options: {
      'older-than': parsedText('AGE', 'How old at least; 90d when left out.', parseAge),
      'dry-run': flag('Only say what would be removed.'),
      workspace,
    },
    json: true,
    example: 'oka context compact --older-than 90d --dry-run',
    load: () => import('./context-compact.ts'),
  }),
};
