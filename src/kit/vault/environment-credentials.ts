/** Secrets that come from environment variables of oka, as config.json names them. */
import type { CredentialsConfig } from '../../core/schema/credential.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Variables } from '../../core/schema/model-provider.ts';
import type { CredentialProvider } from '../../core/schema/ports.ts';
import { type Fingerprint, toCredential } from './to-credential.ts';

export function environmentCredentials(
  sources: CredentialsConfig,
  variables: () => Variables,
  fingerprint: Fingerprint,
): CredentialProvider {
  return {
    name: 'env',
    find: async (name) => {
      const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
      if (source?.env === undefined) return null;
      const value = (variables()[source.env] ?? '').trim();
      if (value === '')
        throw new OkaError('not-set-up', `the secret ${name} comes from the variable ${source.env}, which is not set`, {
          fix: `Set ${source.env} where oka is started, or correct credentials.${name} in config.json.`,
        });
      return toCredential(name, source, value, fingerprint);
    },
  };
}
