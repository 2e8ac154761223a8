/**
 * A kind of channel: everything that is known about it, in the one object that its folder exports. `channel-kinds.ts`
 * is the list of them; the file channels.json, the command, the state of channels and the worker are loops over it.
 */
import { z } from 'zod';
import { AnnouncementKind, ApprovableClasses } from '../../core/schema/channel.ts';
import type { Channel, ChannelTools } from '../../core/schema/channel-port.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';

/** What the entry of every channel may contain; it is spread into the schema of a kind. */
export const sharedSettings = {
  announce: z
    .array(AnnouncementKind)
    .max(5)
    .optional()
    .describe('What is announced here, if it is not what `announce` says for all channels.'),
  content: z
    .enum(['full', 'title'])
    .default('full')
    .describe('title: messages name the task and nothing else: no question, no answer, no file.'),
  approve_by_button: ApprovableClasses.optional().describe(
    'Classes of calls that may be approved from a message here, if it is not what `approve_by_button` says for all.',
  ),
  disabled: z.boolean().default(false).describe('Whether the channel is left out.'),
};

/** The entry of any channel, as far as all are the same. */
type AnySettings = z.ZodObject<{ kind: z.ZodLiteral<string> } & typeof sharedSettings>;
export type ChannelSettings = z.infer<AnySettings>;

export const Address = z.url({ protocol: /^https?$/ }).max(2000);

/** Something that a person says about a new channel: an option of `oka channels add`, and a question. */
export type Field = {
  /** What its value is called in the help, such as URL; null: it is the words behind `--`. */
  readonly value: string | null;
  readonly about: string;
  /** How a person at a terminal is asked for it; left out, it is an option only. */
  readonly ask?: string;
  readonly isNeeded?: true;
  readonly isList?: true;
  /** It names a secret of the vault, which is sent to the hosts of the channel. */
  readonly isSecret?: true;
  /** It means something only beside this other field. */
  readonly beside?: string;
};
type Fields = Readonly<Record<string, Field>>;

/** What was given; secrets are written as `secret:NAME`. */
export type Given<F extends Fields = Fields> = {
  readonly [Name in keyof F]: F[Name] extends { readonly isList: true }
    ? readonly string[]
    : Field extends F[Name]
      ? string | readonly string[] | undefined
      : string | undefined;
};

export const secretField = {
  value: 'NAME',
  about: 'the secret of the vault that it uses: token, key or password.',
  isSecret: true,
} as const satisfies Field;
export const certificateField = {
  value: 'SHA256',
  about: 'the fingerprint of a private certificate, which is pinned.',
} as const satisfies Field;

/** Where a channel that has files of its own finds them. */
export type ChannelPlace = { home: Home; ledger: Pick<LedgerPort, 'append'> };

export type ChannelDefinition<Schema extends AnySettings = AnySettings, F extends Fields = Fields> = {
  /** The word in channels.json; that of the schema. */
  readonly kind: string;
  /** How `oka channels add` offers it. */
  readonly label: string;
  /** Its entry in channels.json. */
  readonly settings: Schema;
  readonly fields: F;
  /** The entry made of what was given; what is undefined is left out, and what is wrong with it the schema says. */
  entryOf(given: Given<F>): Readonly<Record<string, Json | undefined>>;
  /** Where its secrets are sent to. */
  hostsOf?(given: Given<F>): readonly string[];
  /** Whom it reaches, for a list of channels. */
  addressOf(settings: z.infer<Schema>): string;
  /** What takes an answer: a reply or a page, at most `MOST_BUTTONS` buttons, or (left out) only the command line. */
  answeredBy?(settings: z.infer<Schema>): 'words' | 'buttons' | null;
  /** Whether people talk to oka through it; it listens to those who are paired. */
  readonly isMessenger?: true;
  /** What in the settings would never work, or would be less safe than it looks. */
  problems?(settings: z.infer<Schema>): readonly { problem: string; fix: string }[];
  /** What takes long to load is imported here. */
  open(settings: z.infer<Schema>, tools: ChannelTools, place: ChannelPlace): Promise<Channel>;
};

/**
 * Declares a kind of channel.
 *
 *     export const BellChannel = z.strictObject({ kind: z.literal('bell').describe('A bell.'), ...sharedSettings });
 *
 *     export const bell = defineChannel({
 *       kind: 'bell',
 *       label: 'the bell of this terminal',
 *       settings: BellChannel,
 *       fields: {},
 *       entryOf: () => ({}),
 *       addressOf: () => 'this terminal',
 *       open: () => {
 *         const ring: Channel['announce'] = () => {
 *           process.stderr.write('\u0007');
 *           return Promise.resolve({ status: 'sent', ref: null });
 *         };
 *         return Promise.resolve({ announce: ring, ask: ring });
 *       },
 *     });
 */
export function defineChannel<Schema extends AnySettings, const F extends Fields>(
  definition: ChannelDefinition<Schema, F>,
): ChannelDefinition<Schema, F> {
  return definition;
}
