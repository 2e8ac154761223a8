import { z } from 'zod';
import { Id, Instant, Sha256 } from './names.ts';
import type { Appended, WireEvent } from './replica-port.ts';

export const LedgerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$/, 'must be letters, digits, dot, dash and underscore, at most 60')
  .describe('Name of a home at the replica.');

const seconds = (most: number, usual: number): z.ZodDefault<z.ZodNumber> =>
  z.number().min(0.05).max(most).default(usual);

export const ReplicaConfig = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional()
      .describe(
        'Where the Convex deployment listens, such as https://name-123.convex.cloud. CONVEX_URL goes before it. Without either nothing is replicated.',
      ),
    key_secret: Id.default('OKA_REPLICA_KEY').describe(
      'Name in the vault of the key that the deployment asks for. The environment variable OKA_REPLICA_KEY goes before it.',
    ),
    ledger: LedgerName.optional().describe(
      'Name of this home at the replica; default: made from its first event. Two homes never share one.',
    ),
    except: z
      .array(z.string().regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/, 'must be a type such as call.ended, call.* or *'))
      .max(200)
      .default([])
      .describe(
        'Types of events whose content stays here, such as call.ended or call.*; their place in the chain goes.',
      ),
    recipients: z
      .array(z.string().regex(/^age1[a-z0-9]{20,4000}$/, 'must be a public key that begins with age1'))
      .max(20)
      .default([])
      .describe(
        'Public age keys; with any, contents are encrypted to them before they leave. `oka secrets export-recipient` prints that of a vault.',
      ),
    batch: z
      .strictObject({
        events: z.int().min(1).max(500).default(200).describe('At most so many events in one request.'),
        kb: z.int().min(1).max(4096).default(512).describe('At most about so many kilobytes in one request.'),
        seconds: seconds(60, 1).describe('New events are gathered for so long.'),
      })
      .prefault({})
      .describe('How events are sent together.'),
    timeout_seconds: seconds(300, 30).describe('A request times out after this long.'),
  })
  .describe('A one-way copy of both ledgers in Convex; work never waits for it.');
export type ReplicaConfig = z.infer<typeof ReplicaConfig>;

const reached = z
  .strictObject({ seq: z.int().nonnegative().describe('The last event.'), hash: Sha256.describe('Its hash.') })
  .describe('How far the replica has it.');

export const ReplicaState = z
  .strictObject({
    v: z.literal(1).describe('Version of this shape.'),
    url: z.string().max(2000).describe('Which replica.'),
    ledger: LedgerName,
    at: Instant.describe('When this was written.'),
    pens: z
      .strictObject({ run: reached.optional(), maintenance: reached.optional() })
      .describe('How far each ledger was taken over, as the replica last said. It is asked again after every start.'),
    doing: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('following').describe('Everything is there, or being sent.') }),
        z.strictObject({
          kind: z.literal('waiting').describe('The replica cannot be reached.'),
          since: Instant.describe('Since when.'),
          until: Instant.describe('When it is tried again.'),
          failures: z.int().positive().describe('How often it was tried.'),
          why: z.string().max(2000).describe('What was wrong.'),
        }),
        z.strictObject({
          kind: z.literal('stopped').describe('Stopped until a person has checked it.'),
          why: z.string().max(2000).describe('What was wrong.'),
          fix: z.string().max(2000).describe('What to do.'),
        }),
      ])
      .describe('What the follower does.'),
  })
  .describe(
    'The status of replication, in .oka/maintenance/replica/state.json, for display; the replica itself is authoritative.',
  );
export type ReplicaState = z.infer<typeof ReplicaState>;

const seq = z.int().nonnegative();

/** An event as a replica gives it back. Its words are not checked here: the hashes show whether they are true. */
export const WireEventShape: z.ZodType<WireEvent> = z
  .object({
    seq: seq.describe('Its number.'),
    type: z.string().describe('What happened.'),
    run: z.string().nullable().describe('The run it belongs to.'),
    at: z.string().describe('When.'),
    cause: seq.nullable().describe('The event that led to it.'),
    v: seq.describe('Version of the shape of its data.'),
    d: seq.describe('The watermark.'),
    prev: z.string().describe('Hash of the event before it.'),
    hash: z.string().describe('Its own hash.'),
    body: z
      .discriminatedUnion('kind', [
        z.object({
          kind: z.literal('plain').describe('As it is.'),
          text: z.string().describe('Its data as JSON text.'),
        }),
        z.object({
          kind: z.literal('sealed').describe('For the holders of a key.'),
          text: z.string().describe('Its data, encrypted.'),
        }),
        z.object({
          kind: z.literal('withheld').describe('It stayed where it was written.'),
          why: z.string().default('').describe('Why it is not there.'),
        }),
      ])
      .describe('Its data, as far as it left.'),
  })
  .describe('An event as it travels to a replica and back.');

export const ReplicaHead = z
  .object({ seq: seq.describe('The last event.'), hash: z.string().describe('Its hash.') })
  .nullable()
  .describe('How far a replica has a ledger.');

export type TooLarge = { kind: 'too_large'; seq: number; bytes: number; most: number };

export const ReplicaAnswer: z.ZodType<Appended | TooLarge> = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('ok').describe('Taken.'), next: seq.describe('What it wants next.') }),
    z.object({
      kind: z.literal('gap').describe('Something is missing before it.'),
      next: seq.describe('What it wants next.'),
    }),
    z.object({
      kind: z.literal('fork').describe('It has another event at this place.'),
      seq: seq.describe('Where.'),
      theirs: z.string().describe('What was sent.'),
      ours: z.string().describe('The event it has.'),
    }),
    z.object({ kind: z.literal('broken').describe('It does not follow what is there.'), seq: seq.describe('Where.') }),
    z.object({
      kind: z.literal('too_large').describe('One event is too large.'),
      seq: seq.describe('Which event.'),
      bytes: z.int().describe('Its size.'),
      most: z.int().describe('The most there may be.'),
    }),
  ])
  .describe('What a replica answers to events.');
