/** What the queries of the page Settings answer. */
import { z } from 'zod';
import { SideEffectClass } from '../../core/schema/effect.ts';
import { RulesFile } from '../../core/schema/intake.ts';
import { Sha256 } from '../../core/schema/names.ts';
import { Effect, Policy } from '../../core/schema/policy.ts';
import { KnownSecret, SecretUse } from '../../core/schema/view-answers.ts';

const count = z.int().nonnegative();

export const PolicyAnswer = z
  .strictObject({
    file: z.string().describe('The file to edit.'),
    text: z.string().describe('What is in it; empty when there is none.'),
    sha256: Sha256.nullable().describe('Its hash; null when there is no file and the defaults count.'),
    problem: z.string().nullable().describe('Why it cannot be read; the worker goes on with the one before.'),
    defaults: Policy.shape.defaults.nullable(),
    rules: z
      .array(
        z.strictObject({
          effect: Effect,
          line: z.int().positive().describe('Where it is in the file.'),
          says: z.string().describe('What it matches, in words.'),
          why: z.string().nullable().describe('Why it is there.'),
          examples: z
            .array(
              z.strictObject({
                command: z.string().describe('The command.'),
                class: SideEffectClass,
                verdict: Effect.describe('What all rules together say about it.'),
              }),
            )
            .describe('Its examples, tried now.'),
        }),
      )
      .describe('The rules in their order.'),
    default_lines: z.record(z.string(), z.int().positive()).describe('Where each default is in the file.'),
    folders: z
      .array(
        z.strictObject({
          path: z.string().describe('The folder.'),
          access: z.enum(['read', 'write']).describe('Whether files may be changed there, too.'),
          tasks: z.string().describe('Which tasks may use it, in words.'),
          line: z.int().positive().describe('Where it is in the file.'),
        }),
      )
      .describe('Folders outside the desk that tasks may use.'),
    budgets: Policy.shape.budgets.nullable(),
  })
  .describe('The policy as it is read.');

const Match = z.strictObject({
  rule: count.describe('Its place in the list, from 0.'),
  match: z.enum(['yes', 'maybe']).describe('maybe: it depends on what the shell makes of the words.'),
});

export const ClassifyAnswer = z
  .strictObject({
    kind: z.enum(['command', 'request']).describe('A command, or reading an address.'),
    class: SideEffectClass,
    verdict: Effect,
    reason: z.string().describe('Why.'),
    programs: z.array(z.string()).describe('Programs that it would start.'),
    hosts: z.array(z.string()).describe('Hosts that it names.'),
    network: z.boolean().describe('Whether it needs the network.'),
    rules: z.array(Match).describe('The rules that match it.'),
    command: z
      .strictObject({ verdict: z.string().describe('allowed or refused.'), reason: z.string().describe('Why.') })
      .nullable()
      .describe('For an address: whether a command in the sandbox may connect to its host.'),
  })
  .describe('What the policy says about something that a model would do. Nothing is done.');

export const SecretsAnswer = z
  .strictObject({
    known: z.array(KnownSecret).describe('Secrets that were put into the vault or used.'),
    configured: z
      .array(
        z.strictObject({
          name: z.string().describe('Its name.'),
          from: z.string().describe('Where its value comes from.'),
          hosts: z.array(z.string()).describe('Hosts it may be sent to.'),
          tools: z.array(z.string()).describe('Tools it may be given to.'),
        }),
      )
      .describe('Secrets that config.json names.'),
    uses: z.array(SecretUse).describe('The latest uses, the latest first.'),
  })
  .describe('Secrets by name and use; no value.');

const row = (what: string) => ({
  name: z.string().describe(`The name of the ${what}.`),
  on: z.boolean().describe('Whether it is used.'),
  problem: z.string().nullable().describe('Why it cannot be used, or does not work.'),
});

export const SettingsAnswer = z
  .strictObject({
    model: z.string().nullable().describe('The model that is set.'),
    writable: z.boolean().describe('Whether .oka/rules can be written from here.'),
    passphrase: z.boolean().describe('Whether one is set for the dashboard.'),
    channels: z
      .array(
        z.strictObject({
          ...row('channel'),
          kind: z.string().describe('What it sends by.'),
          to: z.string().describe('The server, the program or the addresses.'),
        }),
      )
      .describe('Channels of channels.json.'),
    servers: z
      .array(z.strictObject({ ...row('server'), how: z.string().describe('Its program, or its address.') }))
      .describe('Servers of mcp.json.'),
  })
  .describe('What is set in this home.');

export const RulesPreview = z
  .strictObject({
    file: RulesFile,
    path: z.string().describe('The file, below the home.'),
    replaces: Sha256.nullable().describe('The hash of the file as it is; null where there is none.'),
    problem: z.string().nullable().describe('Why it cannot be so; null when it can.'),
    hunks: z
      .array(z.strictObject({ old_start: z.int(), new_start: z.int(), lines: z.array(z.string()) }))
      .describe('The lines that change, with those around them.'),
    command: z
      .string()
      .nullable()
      .describe('What does it on the machine that has the file; null where it can be written from here.'),
  })
  .describe('What a change of the rules would do.');
