/** Who may answer what the runs of a member ask, besides that member. Pure. */
import { z } from 'zod';
import { Id } from './names.ts';

export const FleetAnswers = z
  .union([z.enum(['here', 'home', 'fleet']), z.array(Id).max(1000)])
  .describe(
    'Who may answer questions of the runs here, besides this member: nobody, the home of the task, every member, or the home and these members.',
  );
export type FleetAnswers = z.infer<typeof FleetAnswers>;

/** Whether a member that is not the home of a task may answer what it asks. */
export const includesMember = (answers: FleetAnswers, member: string): boolean =>
  answers === 'fleet' || (Array.isArray(answers) && answers.includes(member));
