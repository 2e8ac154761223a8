/** The language models that plan, work and judge. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, text } from '../../../kit/cli/options.ts';

export const models: Readonly<Record<string, Command>> = {
  'model setup': command({
    summary: 'Choose a model in a dialog, with its key and a test; oka up offers it once',
    example: 'oka model setup',
    load: () => import('./model-setup-command.ts'),
  }),
  'model list': command({
    summary: 'List the models that are set, and whether each has its key',
    json: true,
    example: 'oka model list',
    load: () => import('./model-list.ts'),
  }),
  'model test': command({
    summary: 'Ask a model one short question, outside of any run; exit 1 without an answer',
    operands: '[provider:model]',
    json: true,
    example: 'oka model test anthropic:claude-sonnet-4-5',
    load: () => import('./model-test.ts'),
  }),
  'model use': command({
    summary: 'Use a model for everything that has none of its own, once it has answered',
    operands: '<provider:model>',
    options: {
      url: text('URL', 'The address of its server, where it is another than usual.'),
      untested: flag('Set it without asking it anything.'),
    },
    json: true,
    example: 'oka model use ollama:llama3.2',
    load: () => import('./model-use.ts'),
  }),
};
