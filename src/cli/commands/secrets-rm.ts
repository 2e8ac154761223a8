import { requireSecret, withoutSecret } from '../../guard/vault-contents.ts';
import type { Answer, Call } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';
import { changeSecret, renderSecretChange, type SecretAnswer } from '../secret-changes.ts';

export async function run(call: Call<{ forget: boolean }>): Promise<Answer<SecretAnswer>> {
  const name = onlyOperand(call, 'name');
  return changeSecret(call, name, (contents) => ({
    contents: withoutSecret(contents, name, call.options.forget),
    change: { version: requireSecret(contents, name).version, change: 'removed' },
  }));
}

export const render = renderSecretChange;
