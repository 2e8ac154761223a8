import { vaultOf } from '../../daemon/guard/home-vault.ts';
import { type Call, exits } from '../command.ts';
import { assertSetUp } from '../secret-changes.ts';

export async function run(call: Call): Promise<number> {
  assertSetUp(call);
  const recipient = await (await vaultOf(call.home)).recipient();
  call.out(call.json ? `${JSON.stringify({ recipient })}\n` : `${recipient}\n`);
  return exits.ok;
}
