/** What a run waits for, and holding it or letting it go on. */
import { type Command, command } from '../../../kit/cli/command-module.ts';
import { flag, texts } from '../../../kit/cli/options.ts';

const always = flag('Also for the same tool, class, programs and hosts, as long as this run lasts.');

export const steer: Readonly<Record<string, Command>> = {
  approve: command({
    summary: 'Let a run do what it asks for; without a name, the only one that asks',
    operands: '[wait] [note…]',
    options: {
      'always-for-this-run': always,
      host: texts('HOST[:PORT]', 'A host that the command may reach, besides those it names; repeat for more.'),
    },
    json: true,
    example: 'oka approve report-1.send.0.w0',
    load: () => import('../../../rooms/approvals/commands/approve.ts'),
  }),
  deny: command({
    summary: 'Refuse what a run asks for; without a name, the only one that asks',
    operands: '[wait] [note…]',
    options: { 'always-for-this-run': always },
    json: true,
    example: 'oka deny report-1.send.0.w0 not today',
    load: () => import('../../../rooms/approvals/commands/deny.ts'),
  }),
  answer: command({
    summary: 'Answer what a run waits for',
    operands: '[wait] <text>',
    json: true,
    example: 'oka answer report-1.send.0.w0 yes',
    load: () => import('../../../rooms/approvals/commands/answer.ts'),
  }),
  pause: command({
    summary: 'Pause a run once its command has ended; without a run: start nothing new',
    operands: '[run]',
    options: { now: flag('End the command that is running instead of letting it finish.') },
    json: true,
    example: 'oka pause report-1',
    load: () => import('../../../rooms/runs/commands/pause-command.ts'),
  }),
  unpause: command({
    summary: 'Start new tasks again after `oka pause`',
    json: true,
    example: 'oka unpause',
    load: () => import('../../../rooms/runs/commands/unpause.ts'),
  }),
  cancel: command({
    summary: 'End a run for good',
    operands: '<run>',
    json: true,
    example: 'oka cancel report-1',
    load: () => import('../../../rooms/runs/commands/cancel.ts'),
  }),
  resume: command({
    summary: 'Continue a stopped, paused or blocked run; after a failure start a linked one',
    operands: '<run>',
    json: true,
    example: 'oka resume report-1',
    load: () => import('../../../rooms/runs/commands/resume.ts'),
  }),
};
