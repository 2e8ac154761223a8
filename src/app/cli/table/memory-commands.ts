/** What is remembered, and what is done by habit. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { count, countOr, flag, parsedText, text, texts } from '../../../kit/cli/options.ts';
import { parseDay, parseDuration, parseShare } from '../../../kit/cli/option-values.ts';

const namespace = text('NAME', 'Only of this namespace, or into it.');

const found = {
  day: parsedText('DAY', 'Only of this day, such as 2026-01-31.', parseDay),
  namespace,
  task: text('RUN', 'Only of this task.'),
  limit: countOr(10, 'N', 'At most N (default 10).'),
};

export const memory: Readonly<Record<string, Command>> = {
  memory: command({
    summary: 'Show what is remembered, in numbers',
    json: true,
    example: 'oka memory',
    load: () => import('../../../rooms/memory/commands/memory-stats.ts'),
  }),
  'memory about': command({
    summary: 'Show what oka knows about you, why, and how to remove it',
    options: {
      days: countOr(7, 'N', 'Show what changed in the last N days (default 7).'),
      namespace: text('NAME', 'Only of this namespace.'),
    },
    json: true,
    example: 'oka memory about',
    load: () => import('../../../rooms/memory/commands/memory-about.ts'),
  }),
  'memory forget': command({
    summary: 'Forget something that oka knows, by the name that oka memory about shows',
    operands: '<fact>',
    json: true,
    example: 'oka memory forget standing-1a2b3c4d5e',
    load: () => import('../../../rooms/memory/commands/memory-fact-delete.ts'),
  }),
  'memory retrieve': command({
    summary: 'Search facts and what happened; with a budget, what would fit into a prompt',
    operands: '<query | ->',
    options: {
      ...found,
      limit: count('N', 'At most N (default 10).'),
      budget: count('TOKENS', 'Only what fits into so many tokens, best first.'),
    },
    json: true,
    example: 'oka memory retrieve --budget 2000 "where do the invoices go"',
    load: () => import('../../../rooms/memory/commands/memory-retrieve.ts'),
  }),
  'memory daily days': command({
    summary: 'List the days of which something is remembered, the latest first',
    options: { limit: countOr(30, 'N', 'Show N (default 30; 0 for all).') },
    json: true,
    example: 'oka memory daily days',
    load: () => import('../../../rooms/memory/commands/memory-daily-days.ts'),
  }),
  'memory daily search': command({
    summary: 'Search what happened',
    operands: '<query>',
    options: found,
    json: true,
    example: 'oka memory daily search "backup failed" --day 2026-01-31',
    load: () => import('../../../rooms/memory/commands/memory-daily-search.ts'),
  }),
  'memory fact add': command({
    summary: 'Remember a fact or a preference; namespace standing is in every prompt',
    operands: '<text>',
    options: {
      namespace,
      importance: parsedText('SHARE', 'From 0 to 1 (default 0.5).', parseShare),
      ttl: parsedText('TIME', 'How long it is valid, such as 12h or 30d (default for ever).', parseDuration),
      id: text('ID', 'Its name (default: made from the text).'),
      supersedes: texts('ID', 'A fact that it replaces.'),
    },
    json: true,
    example: 'oka memory fact add "Invoices go to Carla" --importance 0.8',
    load: () => import('../../../rooms/memory/commands/memory-fact-add.ts'),
  }),
  'memory fact search': command({
    summary: 'Search the facts',
    operands: '<query>',
    options: found,
    json: true,
    example: 'oka memory fact search invoices',
    load: () => import('../../../rooms/memory/commands/memory-fact-search.ts'),
  }),
  'memory fact get': command({
    summary: 'Show a fact and where it is known from',
    operands: '<fact>',
    json: true,
    example: 'oka memory fact get fact-1a2b3c4d5e',
    load: () => import('../../../rooms/memory/commands/memory-fact-get.ts'),
  }),
  'memory fact list': command({
    summary: 'List the facts that are valid',
    options: { namespace, all: flag('Also those that are superseded or expired.') },
    json: true,
    example: 'oka memory fact list --namespace standing',
    load: () => import('../../../rooms/memory/commands/memory-fact-list.ts'),
  }),
  'memory fact delete': command({
    summary: 'Forget a fact',
    operands: '<fact>',
    json: true,
    example: 'oka memory fact delete fact-1a2b3c4d5e',
    load: () => import('../../../rooms/memory/commands/memory-fact-delete.ts'),
  }),
  'memory fact prune': command({
    summary: 'Forget the facts that have expired',
    json: true,
    example: 'oka memory fact prune',
    load: () => import('../../../rooms/memory/commands/memory-fact-prune.ts'),
  }),
  'memory changes': command({
    summary: 'List what maintenance has learned lately, each with the number of the change',
    options: { limit: countOr(20, 'N', 'Show the last N (default 20; 0 for all).') },
    json: true,
    example: 'oka memory changes',
    load: () => import('../../../rooms/memory/commands/memory-changes.ts'),
  }),
  'memory undo': command({
    summary: 'Undo something that maintenance has learned, by the number of the change',
    operands: '<change>',
    options: { reason: text('TEXT', 'Why.') },
    json: true,
    example: 'oka memory undo 12 --reason "that was about one report only"',
    load: () => import('../../../rooms/memory/commands/memory-undo.ts'),
  }),
  'memory import': command({
    summary: 'Import what was said elsewhere, as lines of JSON',
    operands: '<file.jsonl>',
    options: { me: texts('NAME', 'Your name in it: what this user says is yours, and is learned from.') },
    json: true,
    example: 'oka memory import chat.jsonl',
    load: () => import('../../../rooms/memory/commands/memory-import.ts'),
  }),
  'memory pack': command({
    summary: 'Show what a node was given of what is remembered, and what was left out',
    operands: '<run> [node]',
    json: true,
    example: 'oka memory pack report-1a2b3c4d plan',
    load: () => import('../../../rooms/memory/commands/memory-pack.ts'),
  }),
  'procedures list': command({
    summary: 'List the procedures that were learned, and their status',
    options: { all: flag('Also those that were retired.') },
    json: true,
    example: 'oka procedures list',
    load: () => import('../../../rooms/procedures/commands/procedures-list.ts'),
  }),
  'procedures show': command({
    summary: 'Show a procedure: when it applies, its steps and its checks',
    operands: '<procedure>',
    json: true,
    example: 'oka procedures show sort-the-rows-of',
    load: () => import('../../../rooms/procedures/commands/procedures-show.ts'),
  }),
  'procedures why': command({
    summary: 'Explain the status of a procedure: each move, its numbers and runs',
    operands: '<procedure>',
    json: true,
    example: 'oka procedures why sort-the-rows-of',
    load: () => import('../../../rooms/procedures/commands/procedures-why.ts'),
  }),
  'procedures export': command({
    summary: 'Write a promoted procedure as a skill, so that others can use it',
    operands: '<procedure>',
    options: { to: text('FOLDER', 'The folder that gets it (default: workspace/skills).') },
    json: true,
    example: 'oka procedures export sort-the-rows-of',
    load: () => import('../../../rooms/procedures/commands/procedures-export.ts'),
  }),
  'procedures promote': command({
    summary: 'Use a procedure whatever the numbers say; needs --force, and is marked so',
    operands: '<procedure>',
    options: {
      force: flag('Yes, above the numbers.'),
      reason: text('TEXT', 'Why.'),
    },
    json: true,
    example: 'oka procedures promote sort-the-rows-of --force',
    load: () => import('../../../rooms/procedures/commands/procedures-promote.ts'),
  }),
  'procedures demote': command({
    summary: 'No longer use a procedure',
    operands: '<procedure>',
    options: { reason: text('TEXT', 'Why.') },
    json: true,
    example: 'oka procedures demote sort-the-rows-of --reason "other columns now"',
    load: () => import('../../../rooms/procedures/commands/procedures-demote.ts'),
  }),
};
