import { OkaError } from '../../../core/schema/errors.ts';
import { openAccess } from '../../../kit/web/login/access.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { valueFor } from '../../../kit/cli/secret-changes.ts';

type Data = { passphrase: 'set' | 'removed' | 'none' };

const SHORTEST = 12;

export async function run(call: Call<{ remove: boolean }>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const access = openAccess(call.home);
  if (call.options.remove) return answer({ passphrase: access.removePassphrase() ? 'removed' : 'none' });
  const passphrase = await valueFor(call, 'the passphrase');
  if (passphrase.length < SHORTEST)
    throw new OkaError('usage', `a passphrase has at least ${SHORTEST} characters`, {
      fix: 'Four words are easy to remember.',
    });
  access.setPassphrase(passphrase);
  return answer({ passphrase: 'set' });
}

export function render({ passphrase }: Data): string {
  if (passphrase === 'none') return 'There was no passphrase.\n';
  return passphrase === 'set' ? 'The passphrase is set.\n' : 'The passphrase is removed.\n';
}
