/** What waits for a person, as pages show it: the card and the dialog for it are in browser/answers/. */
import { z } from 'zod';
import { Waiting } from '../../core/schema/view-answers.ts';

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
