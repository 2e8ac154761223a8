/** An error as a person reads it on stderr, and the exit code it means. */
import { OkaError } from '../../core/schema/errors.ts';
import { exits } from './command-module.ts';

export function errorText(error: unknown): string {
  if (error instanceof OkaError)
    return `oka: ${error.message}\n${error.fix === undefined ? '' : `     ${error.fix}\n`}`;
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `oka: something went wrong inside oka itself\n${details}\n`;
}

/**
 * Errors that are no refusal to start: `oka up` starts the process again, which reads the ledger from disk. And a request
 * that may have been carried out: exit code 3 means that nothing was done.
 */
const NOT_REFUSED: ReadonlySet<string> = new Set(['ledger-damaged', 'flush-failed', 'ledger-replaced', 'in-doubt']);

export function exitCodeOf(error: unknown): number {
  if (!(error instanceof OkaError)) return exits.refused;
  if (error.code === 'usage' || error.code === 'no-such-run') return exits.usage;
  return NOT_REFUSED.has(error.code) ? exits.no : exits.refused;
}
