import { requireSecret, withValue } from '../../../kit/vault/vault-contents.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Answer, Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import {
  changeSecret,
  onlyName,
  renderSecretChange,
  type SecretAnswer,
  valueFor,
} from '../../../kit/cli/secret-changes.ts';

export async function run(call: Call): Promise<Answer<SecretAnswer>> {
  const name = onlyName(call);
  await requireHome(call.home);
  const value = await valueFor(call, name);
  const now = new Date().toISOString();
  return changeSecret(call, name, (contents) => {
    if (requireSecret(contents, name).value === value)
      throw new OkaError('usage', `${name} has this value already`, { fix: 'Get a new one where it comes from.' });
    const after = withValue(contents, name, value, now);
    return { contents: after, change: { version: after.secrets[name]?.version ?? 1, change: 'rotated' } };
  });
}

export const render = renderSecretChange;
