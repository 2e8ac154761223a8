/** Agents: whom people and agents can mention in a conversation, as markdown files that people write. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { choice, text } from '../../../kit/cli/options.ts';

export const agents: Readonly<Record<string, Command>> = {
  'agents list': command({
    summary: 'List the agents that can be mentioned',
    json: true,
    example: 'oka agents list',
    load: () => import('./agents-list.ts'),
  }),
  'agents show': command({
    summary: 'Show what an agent may do, and its persona',
    operands: '<agent>',
    json: true,
    example: 'oka agents show oka',
    load: () => import('./agents-show.ts'),
  }),
  'agents check': command({
    summary: 'Name everything that is wrong with the files of agents',
    operands: '[agent]',
    json: true,
    example: 'oka agents check',
    load: () => import('./agents-check.ts'),
  }),
  'agents new': command({
    summary: 'Write the file of a new agent, for you to edit',
    operands: '<agent>',
    options: {
      role: choice(['reader', 'writer', 'synthesis'], 'ROLE', 'reader (the default), writer or synthesis.'),
      description: text('TEXT', 'What it is for, in one sentence.'),
    },
    json: true,
    example: 'oka agents new arya --role writer',
    load: () => import('./agents-new.ts'),
  }),
};
