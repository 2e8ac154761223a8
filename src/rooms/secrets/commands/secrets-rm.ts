import { requireSecret, withoutSecret } from '../../../kit/vault/vault-contents.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { changeSecret, renderSecretChange, type SecretAnswer } from '../../../kit/cli/secret-changes.ts';

export async function run(call: Call<{ forget: boolean }>): Promise<Answer<SecretAnswer>> {
  const name = onlyOperand(call, 'name');
  return changeSecret(call, name, (contents) => ({
    contents: withoutSecret(contents, name, call.options.forget),
    change: { version: requireSecret(contents, name).version, change: 'removed' },
  }));
}

export const render = renderSecretChange;
