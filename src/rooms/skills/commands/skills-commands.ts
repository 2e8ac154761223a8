/** Skills: instructions for kinds of work, as folders with a SKILL.md. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, text } from '../../../kit/cli/options.ts';

export const skills: Readonly<Record<string, Command>> = {
  'skills list': command({
    summary: 'List the skills, and whether each can be used',
    json: true,
    example: 'oka skills list',
    load: () => import('./skills-list.ts'),
  }),
  'skills show': command({
    summary: 'Show a skill and its files, or how it differs from what was accepted',
    operands: '<skill>',
    options: {
      diff: flag('Only what has changed since it was accepted.'),
      accept: flag('Accept it as it is now; until then a changed skill is not used.'),
    },
    json: true,
    example: 'oka skills show invoices --diff',
    load: () => import('./skills-show.ts'),
  }),
  'skills check': command({
    summary: 'Check skills against the specification, all or one; exit 1 if one is wrong',
    operands: '[skill|folder]',
    json: true,
    example: 'oka skills check ./my-skill',
    load: () => import('./skills-check.ts'),
  }),
  'skills add': command({
    summary: 'Copy a skill from a folder, zip or tar file into .oka/skills',
    operands: '<folder|archive>',
    options: { replace: flag('Replace the skill of this name.') },
    json: true,
    example: 'oka skills add ~/Downloads/invoices.zip',
    load: () => import('./skills-add.ts'),
  }),
  'skills runbook': command({
    summary: 'Print the steps of a skill as a task that needs no model, or write it with its files',
    operands: '<skill>',
    options: { out: text('FOLDER', 'Write TASK.md and the files of the skill into a new folder.', 'o') },
    json: true,
    example: 'oka skills runbook csv-totals --out totals',
    load: () => import('./skills-runbook.ts'),
  }),
  'skills remove': command({
    summary: 'Delete a skill',
    operands: '<skill>',
    options: { yes: flag('Do not ask.') },
    json: true,
    example: 'oka skills remove invoices --yes',
    load: () => import('./skills-remove.ts'),
  }),
};
