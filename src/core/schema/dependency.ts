/** What a step was missing, how it can be provided, and what was installed. */
import { z } from 'zod';
import { Sha256 } from './names.ts';

const name = z.string().min(1).max(200);

export const Need = z
  .strictObject({
    kind: z
      .enum(['command', 'python', 'node', 'library', 'header', 'pkgconfig', 'locale', 'font', 'device', 'capability'])
      .describe(
        'What kind of thing is missing: a program, a module of Python or Node, a part of the system, or a device or capability that the machine has to give.',
      ),
    name: name.describe('Its name as the failure gave it, such as jq, yaml, libGL.so.1 or openssl/ssl.h.'),
    version: z.string().max(100).optional().describe('The version that is needed, such as >=22.'),
    package: z.string().max(214).optional().describe('The package that provides it, if known.'),
    vouched: z
      .literal('operator')
      .optional()
      .describe(
        'Set if the person who gave the task named it; a name that only a failure mentioned is checked more strictly.',
      ),
    evidence: z.string().max(2000).default('').describe('The lines that show that it is missing.'),
  })
  .describe('Something that a step needs and that is missing.');
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
      .describe('Programs inside the package that it does not declare, by name.'),
    vouched: z
      .enum(['table', 'operator', 'nobody'])
      .describe('Who confirms the name: what oka knows, the operator, or nobody; then a person is asked.'),
    why: z.string().max(2000).describe('Why it is needed.'),
    for_run: z.string().max(120).nullable().describe('The run that needed it first; null if a person requested it.'),
  })
  .describe('What is to be installed.');
export type InstallInput = z.infer<typeof InstallInput>;

export const Receipt = z
  .strictObject({
    by: InstallInput.shape.by,
    name: InstallInput.shape.name,
    version: z.string().max(100).describe('The exact version.'),
    folder: z.string().max(500).describe('Its folder below .oka/tools.'),
    links: z
      .record(z.string().max(500), z.string().max(1000))
      .describe('Links below .oka/tools that point to it, with their targets.'),
    commands: z.array(z.string().max(200)).max(1000).describe('Programs that it provides.'),
    replaces: z.string().max(500).nullable().describe('The folder that it replaces, with everything in it.'),
    contains: z
      .array(
        z.strictObject({
          name: z.string().max(214).describe('Package.'),
          version: z.string().max(100).describe('Its version.'),
          integrity: z.string().max(500).describe('Hash of the download.'),
        }),
      )
      .max(2000)
      .describe('Every package that came with it, itself included.'),
    integrity: z.string().max(500).describe('Hash of the download, as given by the registry.'),
    tree: Sha256.describe('Hash over every file as it was installed.'),
    bytes: z.int().nonnegative().describe('Size on disk.'),
    ms: z.int().nonnegative().describe('How long it took.'),
    from: z.string().max(500).describe('Where it came from: the host of the registry, or a folder.'),
    scripts: z.boolean().describe('Whether its install scripts were run.'),
    why: InstallInput.shape.why,
    for_run: InstallInput.shape.for_run,
  })
  .describe('What was installed, why, from where, and how to verify that it is unchanged.');
export type Receipt = z.infer<typeof Receipt>;

export const Requirement = z
  .strictObject({
    name: name.describe('Name in INSTALL_REQUIREMENTS.md.'),
    need: Need,
    packages: z.array(z.string().max(200)).max(50).describe('Debian packages that provide it; empty if none is known.'),
    snippet: z.string().max(4000).describe('Lines for a Dockerfile.'),
    reason: z.string().max(4000).describe('Why oka cannot install it itself.'),
  })
  .describe('Something a person has to install.');
export type Requirement = z.infer<typeof Requirement>;

export const InstallOutput = z
  .strictObject({
    by: InstallInput.shape.by,
    name: InstallInput.shape.name,
    version: Receipt.shape.version,
    already: z.boolean().describe('Whether it was there before.'),
  })
  .describe('What is there now.');
