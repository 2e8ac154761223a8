import { requireSecret, withValue } from '../../guard/vault-contents.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Answer, Call } from '../command-module.ts';
import { requireHome } from '../require-home.ts';
import { changeSecret, onlyName, renderSecretChange, type SecretAnswer, valueFor } from '../secret-changes.ts';

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
