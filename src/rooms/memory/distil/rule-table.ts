/** The table of rules. To add one, write a file in rules/ and add it here. */
import type { Rule } from './fact-finding.ts';
import { choices } from './rules/choices.ts';
import { corrections } from './rules/corrections.ts';
import { environment } from './rules/environment.ts';
import { failures } from './rules/failures.ts';
import { notes } from './rules/notes.ts';
import { statements } from './rules/statements.ts';

export const rules: readonly Rule[] = [statements, corrections, choices, failures, environment, notes];
