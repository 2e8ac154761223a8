/** Settings of secrets that are not in the vault: where each value comes from, and where it may go. */
import { z } from 'zod';
import { Id } from './names.ts';
import { SecretCommand, SecretHost, SecretTool } from './secret.ts';

export const CredentialSource = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/)
      .optional()
      .describe('The environment variable of oka that contains the value.'),
    command: z
      .array(z.string().max(4000))
      .min(1)
      .max(100)
      .refine(([program = '']) => /^(?:[\w.+-]+|\/[^\0]+)$/.test(program), {
        error: 'a program is written by its name or its absolute path',
      })
      .optional()
      .describe('A program and its arguments, such as ["pass", "show", "github"]; it prints the value. No shell.'),
    timeout_seconds: z.number().positive().max(120).default(10).describe('The longest that the command may take.'),
    tools: z.array(SecretTool).max(100).default([]).describe('The tools it may be given to.'),
    hosts: z.array(SecretHost).max(100).default([]).describe('The hosts it may be sent to.'),
    commands: z.array(SecretCommand).max(100).default([]).describe('The commands of a model that may have it.'),
    header: z
      .string()
      .max(500)
      .optional()
      .describe('With it the egress proxy adds the value to requests, as this header; no command gets the value.'),
  })
  .refine(({ env, command }) => (env === undefined) !== (command === undefined), {
    error: 'it needs either "env" or "command"',
  })
  .describe('Where one secret comes from, and where it may go.');
export type CredentialSource = z.infer<typeof CredentialSource>;

export const CredentialsConfig = z
  .record(Id, CredentialSource)
  .describe('Secrets that come from the environment or from a command, by name; one in the vault goes first.');
export type CredentialsConfig = z.infer<typeof CredentialsConfig>;
