/** The table of rules. To add one: a file in rules/, a row here. */
import type { Rule } from './finding.ts';
import { choices } from './rules/choices.ts';
import { corrections } from './rules/corrections.ts';
import { environment } from './rules/environment.ts';
import { failures } from './rules/failures.ts';
import { notes } from './rules/notes.ts';
import { statements } from './rules/statements.ts';

export const rules: readonly Rule[] = [statements, corrections, choices, failures, environment, notes];
