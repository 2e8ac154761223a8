/** Who knows the address of a deployment can call its public functions; only who knows the key gets an answer. */
import { ConvexError } from 'convex/values';

export function admit(key: string | undefined): void {
  const wanted = process.env['OKA_REPLICA_KEY'] ?? '';
  if (wanted === '') {
    if (process.env['OKA_REPLICA_OPEN'] === '1') return;
    throw refusal('no_key', 'This deployment has no key: run npx convex env set OKA_REPLICA_KEY <a long random text>.');
  }
  if (key === undefined) throw refusal('key_missing', 'This deployment asks for a key and none was given.');
  if (!isSame(key, wanted)) throw refusal('key_wrong', 'The key is not the one of this deployment.');
}

/** The data of a ConvexError reaches the client in production too, where other messages are hidden. */
function refusal(code: 'no_key' | 'key_missing' | 'key_wrong', text: string): ConvexError<Record<string, string>> {
  return new ConvexError({ kind: 'refused', code, text });
}

/** Compares every character, whatever it finds, so that the time reveals nothing. */
function isSame(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < given.length; index += 1)
    difference |= given.charCodeAt(index) ^ wanted.charCodeAt(index % wanted.length);
  return difference === 0;
}
