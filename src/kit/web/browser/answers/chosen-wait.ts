/** Something that waits for a person, and which of them is chosen by keyboard. */
import { signal } from '@preact/signals';
import type { Waiting } from '../../../../core/schema/view-answers.ts';

export type Awaited = Omit<Waiting, 'person'> & {
  model: boolean;
  requirement: {
    name: string;
    reason: string;
    packages: string[];
    note: string | null;
    snippet: string;
    command: string | null;
  } | null;
};

export const chosenId = signal<string | null>(null);
