/** Making and asking frames of the context tree. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { count, flag, text } from '../../../kit/cli/options.ts';

const workspace = text('NAME', 'Another workspace of config.json.');
const model = text('PROVIDER:MODEL', 'The model to ask (default: as configured).');
const budget = count('TOKENS', 'What models may cost (default: tree.max_tokens).');
const plan = flag('Only show what would be made, and about what it costs.');

export const contextQuestions: Readonly<Record<string, Command>> = {
  'context ask': command({
    summary: 'Answer a question about the workspace from its frames',
    operands: '<question>',
    options: {
      in: text('PATH', 'Only from frames of this folder.'),
      tokens: count('N', 'What frames may cost in the prompt (default 6000).'),
      model,
      workspace,
    },
    json: true,
    example: 'oka context ask "where are invoices parsed?"',
    load: () => import('./context-ask.ts'),
  }),
  'context map': command({
    summary: 'Show the most used files with their most used names',
    operands: '[path]',
    options: { tokens: count('N', 'How much of it (default 2000 tokens).'), workspace },
    json: true,
    example: 'oka context map desk/app --tokens 1000',
    load: () => import('./context-map.ts'),
  }),
};

export const contextSynthesis: Readonly<Record<string, Command>> = {
  'context synthesize': command({
    summary: 'Make frames for a folder and everything below it',
    operands: '[path]',
    options: {
      type: text('TYPE', 'The type of the frames (default summary; * reads all).'),
      from: text('TYPE', 'The type of child frames a folder is made from.'),
      policy: text('NAME', 'summarization, concatenation, filtering:TEXT or model.'),
      prompt: text('TEXT', 'Let a model write, and say what matters.'),
      agent: text('NAME', 'In whose name (default oka).'),
      model,
      force: flag('Ask a model again, although nothing has changed.'),
      plan,
      budget,
      workspace,
    },
    json: true,
    example: 'oka context synthesize desk/app',
    load: () => import('./context-synthesize.ts'),
  }),
  'context regenerate': command({
    summary: 'Make frames again whose files have changed',
    operands: '[path]',
    options: {
      recursive: flag('Also everything below it.'),
      force: flag('Also frames that are up to date.'),
      model,
      plan,
      budget,
      workspace,
    },
    json: true,
    example: 'oka context regenerate --recursive',
    load: () => import('./context-regenerate.ts'),
  }),
  'context invalidate': command({
    summary: 'Mark frames as stale',
    operands: '<path>',
    options: {
      type: text('TYPE', 'Only of this type.'),
      recursive: flag('Also everything below it.'),
      reason: text('TEXT', 'Why.'),
      workspace,
    },
    json: true,
    example: 'oka context invalidate desk/app/a.ts --reason "it is wrong"',
    load: () => import('./context-invalidate.ts'),
  }),
  'context report': command({
    summary: 'Report on the context tree, as markdown; exits 1 when something is stale',
    options: { 'max-stale': count('N', 'So many stale frames are fine (default 0).'), workspace },
    json: true,
    example: 'oka context report --max-stale 5 > context.md',
    load: () => import('./context-report.ts'),
  }),
};
