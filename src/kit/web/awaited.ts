/** What waits for a person, as pages show it: the card and the dialog for it are in browser/answers/. */
import { z } from 'zod';
import type { Home } from '../../core/schema/home.ts';
import { Waiting } from '../../core/schema/view-answers.ts';
import { isModelWait } from '../models/model-requirement.ts';
import { readAwaitedRequirements } from '../requests/awaited-requirement.ts';

export const Awaited = Waiting.omit({ person: true })
  .extend({
    model: z.boolean().describe('Whether it waits for a language model to be set up.'),
    requirement: z
      .strictObject({
        name: z.string().describe('Its name, for the intake `resolve`.'),
        reason: z.string().describe('Why oka does not install it by itself.'),
        packages: z.array(z.string()).describe('Debian packages that contain it.'),
        note: z.string().nullable().describe('What the last check found.'),
        snippet: z.string().describe('What to add to the Dockerfile where oka runs in a container.'),
        command: z.string().nullable().describe('The command that installs it on this machine, if one is known.'),
      })
      .nullable()
      .describe('What has to be installed, if that is what it waits for.'),
  })
  .describe('Something that a person can decide, answer or provide.');
export type Awaited = z.infer<typeof Awaited>;

/** Those that a person can end, with what is known of what has to be installed. */
export async function describeAwaited(home: Home, waits: readonly Waiting[]): Promise<Awaited[]> {
  const isNeeded = waits.some((wait) => wait.person && wait.for.kind === 'requirement');
  const requirements = isNeeded ? await readAwaitedRequirements(home) : new Map<string, never>();
  return waits.flatMap(({ person, ...wait }) => {
    const requirement = wait.for.kind === 'requirement' ? (requirements.get(wait.for.name) ?? null) : null;
    return person ? [{ ...wait, model: isModelWait(wait.for), requirement }] : [];
  });
}
