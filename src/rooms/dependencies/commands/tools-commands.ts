/** What is installed, and what only a person can install. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, parsedText } from '../../../kit/cli/options.ts';
import { parseAge } from '../../../kit/cli/option-values.ts';

export const tools: Readonly<Record<string, Command>> = {
  requirements: command({
    summary: 'List what you have to install; --dockerfile prints one that installs it all',
    options: { dockerfile: flag('Print a Dockerfile over the image oka:local.') },
    json: true,
    example: 'oka requirements --dockerfile',
    load: () => import('./requirements.ts'),
  }),
  'requirements resolve': command({
    summary: 'Confirm that something is installed now; it is checked, and waiting runs go on',
    operands: '<name>',
    json: true,
    example: 'oka requirements resolve ffmpeg',
    load: () => import('./requirements-resolve.ts'),
  }),
  'tools list': command({
    summary: 'List the tools that were installed: why, for which run, last used, size',
    json: true,
    example: 'oka tools list',
    load: () => import('./tools-list.ts'),
  }),
  'tools install': command({
    summary: 'Install a tool now: a command, node:PACKAGE, python:PACKAGE',
    operands: '<tool>',
    json: true,
    example: 'oka tools install node:prettier@3',
    load: () => import('./tools-install.ts'),
  }),
  'tools remove': command({
    summary: 'Remove a tool, or all that were not used for a while',
    operands: '[tool…]',
    options: { unused: parsedText('TIME', 'Those not used for this long, such as 30d.', parseAge) },
    json: true,
    example: 'oka tools remove --unused 30d',
    load: () => import('./tools-remove.ts'),
  }),
  'tools update': command({
    summary: 'Update tools to the newest release that the policy allows',
    operands: '[tool…]',
    json: true,
    example: 'oka tools update prettier',
    load: () => import('./tools-update.ts'),
  }),
  'tools prune': command({
    summary: 'Remove versions of tools that are no longer in use',
    options: { 'dry-run': flag('Only say what would be removed.') },
    json: true,
    example: 'oka tools prune --dry-run',
    load: () => import('./tools-prune.ts'),
  }),
  'tools audit': command({
    summary: 'Compare every tool with its hash in the lock; exit 1 if one has changed',
    json: true,
    example: 'oka tools audit',
    load: () => import('./tools-audit.ts'),
  }),
  'tools doctor': command({
    summary: 'Check what installing needs: npm, Python, the sandbox, the tools themselves',
    json: true,
    example: 'oka tools doctor',
    load: () => import('./tools-doctor.ts'),
  }),
};
