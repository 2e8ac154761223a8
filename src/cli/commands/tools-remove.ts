import { peek } from '../../ledger/peek.ts';
import { OkaError } from '../../schema/errors.ts';
import { dependencies } from '../../tools/deps/kept.ts';
import { type Call, exits } from '../command.ts';
import { agoOption, requestTools } from '../tool-requests.ts';

export async function run(call: Call): Promise<number> {
  const unused = call.text('unused');
  if (unused === undefined) {
    if (call.operands.length === 0) throw new OkaError('usage', 'say which tool, or --unused 30d');
    return requestTools(
      call,
      call.operands.map((what) => ({ kind: 'remove', what })),
    );
  }
  const before = Date.now() - agoOption(unused);
  const { state } = await peek(call.home.ledgers.run, call.home.oka, dependencies);
  const idle = Object.entries(state.installed).filter(([, { used, at }]) => Date.parse(used ?? at) < before);
  if (idle.length > 0)
    return requestTools(
      call,
      idle.map(([what]) => ({ kind: 'remove', what, reason: `not used for ${unused}` })),
    );
  call.out(call.json ? '{"removed":[]}\n' : `Every tool was used within ${unused}.\n`);
  return exits.ok;
}
