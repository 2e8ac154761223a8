/** A finding about a file that a person edits: it loads, or why it does not. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';

export async function fileFinding(what: string, file: string, load: () => Promise<unknown>): Promise<Finding> {
  try {
    await load();
    return { state: 'good', what, found: file };
  } catch (error) {
    const fix = error instanceof OkaError ? error.fix : undefined;
    return { state: 'bad', what, found: messageOf(error), ...(fix === undefined ? {} : { fix }) };
  }
}
