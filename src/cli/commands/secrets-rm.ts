import { requireSecret, withoutSecret } from '../../guard/vault-contents.ts';
import type { Call } from '../command.ts';
import { onlyOperand } from '../operands.ts';
import { changeSecret } from '../secret-changes.ts';

export async function run(call: Call): Promise<number> {
  const name = onlyOperand(call, 'name');
  return changeSecret(call, name, (contents) => ({
    contents: withoutSecret(contents, name, call.flag('forget')),
    change: { version: requireSecret(contents, name).version, change: 'removed' },
  }));
}
