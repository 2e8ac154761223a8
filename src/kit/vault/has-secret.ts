/** Whether bytes contain something that must not be shown. */
import type { Redact } from '../../core/schema/ports.ts';

/** Also between invisible characters of a text, and in every encoding that contains ASCII. */
export function hasSecret(content: Buffer, redact: Redact): boolean {
  return (['latin1', 'utf8'] as const).some((encoding) => {
    const text = content.toString(encoding);
    return redact(text) !== text;
  });
}
