import { z } from 'zod';
import { Id, Instant } from './names.ts';

/** Longest value that can be stored: a key file or a certificate chain. */
export const LONGEST_SECRET = 65_536;

export const SecretHost = z
  .string()
  .max(260)
  .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/)
  .describe('A host in lower case, such as api.example.org, or a host and a port.');

export const SecretTool = z
  .string()
  .max(120)
  .regex(/^[A-Za-z][A-Za-z0-9_.:-]*$/)
  .describe('Name of a tool, such as http.request.');

export const SecretCommand = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][\w.+-]*(?: [\w.:/=@+-]+)*$/)
  .describe('A program, and the words that have to follow it: gh, or git push.');

const value = z.string().min(1).max(LONGEST_SECRET);
const version = z.int().positive();

export const Secret = z
  .strictObject({
    value: value.nullable().describe('The value; null once it was removed.'),
    version: version.describe('Counts every value it ever had.'),
    tools: z.array(SecretTool).max(100).describe('The tools it may be given to.'),
    hosts: z.array(SecretHost).max(100).describe('The hosts it may be sent to.'),
    commands: z
      .array(SecretCommand)
      .max(100)
      .optional()
      .describe('The commands of a model that may have it; those of a person may, without being named.'),
    header: z
      .string()
      .max(500)
      .optional()
      .describe('With it the egress proxy adds the value to requests, as this header; no command gets the value.'),
    set_at: Instant.describe('When it got this value.'),
    old: z
      .array(
        z.strictObject({ version: version.describe('Which version it was.'), value: value.describe('The value.') }),
      )
      .max(10_000)
      .describe('Former values, for redaction only.'),
  })
  .describe('A secret and where it may go.');
export type Secret = z.infer<typeof Secret>;

export const VaultContents = z
  .strictObject({
    v: z.literal(1).describe('Version of this shape.'),
    fingerprint_key: z.string().min(40).max(100).describe('Key of the fingerprints, in base64.'),
    secrets: z.record(Id, Secret).describe('All secrets, by name.'),
  })
  .describe('The content of .oka/credentials.age before encryption.');
export type VaultContents = z.infer<typeof VaultContents>;

const Prints = z.array(
  z.strictObject({
    name: z.string().describe('The secret.'),
    window: z.int().positive().describe('How many units of a form are hashed.'),
    length: z.int().positive().describe('How many units the form has.'),
    hash: z.int().describe('The hash of its first units.'),
  }),
);

export const VaultFingerprints = z
  .strictObject({
    v: z.literal(1).describe('Version of the format.'),
    vault: z.string().describe('Hash of the vault file that these belong to.'),
    names: z.array(z.string()).describe('Names of all secrets in it.'),
    salt: z.string().describe('The key of the fingerprints in `open`.'),
    open: Prints.describe('Fingerprints of values that nobody can guess.'),
    keyed: Prints.describe('Fingerprints of other values, under a key that is stored beside that of the vault.'),
  })
  .describe('By what the values of a vault are recognised when it cannot be opened.');
export type VaultFingerprints = z.infer<typeof VaultFingerprints>;
