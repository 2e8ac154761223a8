/**
 * Owns: what a failed command was missing. Pure and table-driven; the tables are in other files of this folder.
 * Does not own: how it can be had (choose-remedy.ts), whether it is really missing (find-present.ts).
 *
 * D1 A sign counts where only a missing thing produces it: an exit status, a place in the text, words that no other
 *    failure has. A missing file, an answer of a server, or a text that speaks of such failures is none.
 * D2 The last failure in the text is the one the command died of; earlier ones were survived.
 */
import type { Need } from '../../../core/schema/dependency.ts';
import { missingCommand } from './detect-command.ts';
import { missingNodeModule } from './detect-node.ts';
import { missingPythonModule } from './detect-python.ts';
import { missingInSystem } from './detect-system.ts';
import { detectTooOld } from './detect-version.ts';
import type { Failure } from './command-failure.ts';

const DETECTORS = [detectTooOld, missingInSystem, missingPythonModule, missingNodeModule, missingCommand];
const MAX_EVIDENCE = 1000;

export function detect(failure: Failure): Need | null {
  if (failure.exit === 0) return null;
  for (const detector of DETECTORS) {
    const found = detector(failure);
    if (found === null) continue;
    const { at, ...need } = found;
    return { ...need, evidence: quoteEvidence(failure.text, at) };
  }
  return null;
}

/** The line and what belongs to it. */
function quoteEvidence(text: string, at: number): string {
  const start = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  return text
    .slice(start, start + MAX_EVIDENCE)
    .split('\n')
    .slice(0, 4)
    .join('\n')
    .trim();
}
