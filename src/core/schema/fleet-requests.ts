/** Questions and requests about a task that was given away: they travel between its home and whoever works on it. */
import { z } from 'zod';
import { MemberName } from './fleet.ts';
import { Intake } from './intake.ts';
import { JsonValue } from './json.ts';
import { CallId, Id, NodeId } from './names.ts';
import { WaitFor } from './wait.ts';

export const AskedWait = z
  .strictObject({ wait: CallId, node: NodeId.nullable(), for: WaitFor })
  .describe('Something that a person has to answer.');
export type AskedWait = z.infer<typeof AskedWait>;

export const TaskAsked = z
  .strictObject({
    worker: MemberName.describe('The member that works on it.'),
    home: MemberName.optional().describe('The home of the task, when that is another one.'),
    title: z.string().max(1000).describe('What the task is about.'),
    waits: z.array(AskedWait).max(20).describe('All that is open now; what was open before and is missing is closed.'),
  })
  .describe('What a task of the fleet asks people, at the member that works on it.');
export type TaskAsked = z.infer<typeof TaskAsked>;

/** The id becomes the name of a file. */
const RequestId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,100}$/);

/** A request of the home of a task, or an answer of another member, for the member that works on it. */
export const FleetRequest = z.strictObject({
  kind: z.literal('request'),
  id: RequestId.describe('Its id in the ledgers of both.'),
  task: Id,
  intake: Intake,
});
export type FleetRequest = z.infer<typeof FleetRequest>;

/** What became of it. */
export const FleetReply = z.strictObject({
  kind: z.literal('reply'),
  id: RequestId,
  reply: z.union([
    z.strictObject({ done: JsonValue }),
    z.strictObject({
      refused: z.strictObject({
        code: z.string().max(80),
        message: z.string().max(20_000),
        fix: z.string().max(20_000).optional(),
      }),
    }),
  ]),
});
export type FleetReply = z.infer<typeof FleetReply>;
