/** Decisions about what waits for a person. */
import { decideApproval } from '../decide-approval.ts';
import { renderRequest, requestJson } from '../../../kit/cli/run-requests.ts';
import { command, type Commands } from '../../../kit/cli/command-module.ts';
import { flag, texts } from '../../../kit/cli/options.ts';

const always = flag('Also for the same tool, class, programs and hosts, as long as this run lasts.');

export const commands: Commands = {
  approve: command({
    summary: 'Let a run do what it asks for; without a name, the only one that asks',
    operands: '[wait] [note…]',
    options: {
      'always-for-this-run': always,
      host: texts('HOST[:PORT]', 'A host that the command may reach, besides those it names; repeat for more.'),
    },
    example: 'oka approve report-1.send.0.w0',
    run: async (call) => decideApproval(call, 'approved'),
    render: renderRequest,
    jsonLines: requestJson,
  }),
  deny: command({
    summary: 'Refuse what a run asks for; without a name, the only one that asks',
    operands: '[wait] [note…]',
    options: { 'always-for-this-run': always },
    example: 'oka deny report-1.send.0.w0 not today',
    run: async (call) => decideApproval(call, 'denied'),
    render: renderRequest,
    jsonLines: requestJson,
  }),
};
