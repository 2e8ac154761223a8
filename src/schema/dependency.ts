/** What a step was missing, how it can be had, and what was installed. */
import { z } from 'zod';
import { Sha256 } from './names.ts';

const name = z.string().min(1).max(200);

export const Need = z
  .strictObject({
    kind: z
      .enum(['command', 'python', 'node', 'library', 'header', 'pkgconfig', 'locale', 'font'])
      .describe('What kind of thing is missing: a program, a module of Python or Node, or a part of the system.'),
    name: name.describe('Its name as the failure gave it, such as jq, yaml, libGL.so.1 or openssl/ssl.h.'),
    version: z.string().max(100).optional().describe('The version that is needed, such as >=22.'),
    package: z.string().max(214).optional().describe('The package to take it from, when somebody has said so.'),
    vouched: z
      .literal('operator')
      .optional()
      .describe('Set when the person who gave the task named it; what only a failure named is looked at closer.'),
    evidence: z.string().max(2000).default('').describe('The lines that show that it is missing.'),
  })
  .describe('Something that is not there and that a step needs.');
export type Need = z.infer<typeof Need>;

export const InstallInput = z
  .strictObject({
    by: z
      .enum(['node', 'python', 'binary'])
      .describe('Which installer: npm, pip, or a program from an allowed source.'),
    name: name.max(214).describe('The package.'),
    version: z
      .string()
      .max(100)
      .optional()
      .describe('An exact version or a range; the newest that is old enough if left out.'),
    files: z
      .record(z.string().max(200), z.string().max(1000))
      .optional()
      .describe('Programs inside the package that it does not announce itself, by name.'),
    vouched: z
      .enum(['table', 'operator', 'nobody'])
      .describe('Who stands for the name: what oka knows, the operator, or nobody, and then a person is asked.'),
    why: z.string().max(2000).describe('Why it is needed.'),
    for_run: z.string().max(120).nullable().describe('The run that needed it first; null when a person asked for it.'),
  })
  .describe('What is to be installed.');
export type InstallInput = z.infer<typeof InstallInput>;

export const Receipt = z
  .strictObject({
    by: InstallInput.shape.by,
    name: InstallInput.shape.name,
    version: z.string().max(100).describe('The exact version.'),
    folder: z.string().max(500).describe('Where it lies, below .oka/tools.'),
    links: z
      .record(z.string().max(500), z.string().max(1000))
      .describe('Links below .oka/tools that lead to it, and what each points at.'),
    commands: z.array(z.string().max(200)).max(1000).describe('Programs that it brings.'),
    replaces: z.string().max(500).nullable().describe('The folder that it takes the place of, with everything in it.'),
    contains: z
      .array(
        z.strictObject({
          name: z.string().max(214).describe('Package.'),
          version: z.string().max(100).describe('Its version.'),
          integrity: z.string().max(500).describe('Hash of what was fetched.'),
        }),
      )
      .max(2000)
      .describe('Every package that came with it, itself included.'),
    integrity: z.string().max(500).describe('Hash of what was fetched, as the registry names it.'),
    tree: Sha256.describe('Hash over every file as it was installed.'),
    bytes: z.int().nonnegative().describe('Size on disk.'),
    ms: z.int().nonnegative().describe('How long it took.'),
    from: z.string().max(500).describe('Where it came from: the host of the registry, or a folder.'),
    scripts: z.boolean().describe('Whether its install scripts were run.'),
    why: InstallInput.shape.why,
    for_run: InstallInput.shape.for_run,
  })
  .describe('What was installed, why, from where, and how to tell whether it is still the same.');
export type Receipt = z.infer<typeof Receipt>;

export const Requirement = z
  .strictObject({
    name: name.describe('Name in INSTALL_REQUIREMENTS.md.'),
    need: Need,
    packages: z
      .array(z.string().max(200))
      .max(50)
      .describe('Debian packages that bring it; empty when nobody knows one.'),
    snippet: z.string().max(4000).describe('Lines for a Dockerfile.'),
    reason: z.string().max(4000).describe('Why oka cannot install it itself.'),
  })
  .describe('Something a person has to bring.');
export type Requirement = z.infer<typeof Requirement>;

export const InstallOutput = z
  .strictObject({
    by: InstallInput.shape.by,
    name: InstallInput.shape.name,
    version: Receipt.shape.version,
    already: z.boolean().describe('True when it was there before.'),
  })
  .describe('What is there now.');
