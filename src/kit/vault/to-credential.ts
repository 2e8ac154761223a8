/** A value from outside the vault as a secret, with the rules of its source. */
import { problemOfValue } from './vault-contents.ts';
import type { CredentialSource } from '../../core/schema/credential.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Credential } from '../../core/schema/ports.ts';

/** A keyed hash of a value. */
export type Fingerprint = (value: string) => string;

/** Throws for a value that redaction could not remove from texts without harm. */
export function toCredential(
  name: string,
  { tools, hosts, commands, header }: CredentialSource,
  value: string,
  fingerprint: Fingerprint,
): Credential {
  const problem = problemOfValue(name, value, []);
  if (problem !== null)
    throw new OkaError('refused', `the secret ${name} cannot be used: ${problem.why}`, { fix: problem.fix });
  return { value, version: 1, tools, hosts, commands, header: header ?? null, fingerprint: fingerprint(value) };
}
