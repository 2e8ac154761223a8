import { z } from 'zod';
import { Instant, Sha256 } from './names.ts';

/** Lower-case letters, digits and single hyphens between them, as the specification of skills has it. */
export const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const SkillHeader = z
  .object({
    name: z.string().min(1).max(64).describe('Name of the skill, equal to that of its folder.'),
    description: z.string().trim().min(1).max(1024).describe('What it does and when to use it.'),
    license: z.string().max(1000).optional().describe('Name of its license, or of the file that contains it.'),
    compatibility: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .optional()
      .describe('What it needs: programs, network, a product.'),
    metadata: z.record(z.string(), z.string()).optional().describe('Further properties, each a text.'),
    'allowed-tools': z
      .string()
      .max(4000)
      .optional()
      .describe('Tools that it wants to use, separated by spaces. It is a limit for its scripts, never a grant.'),
  })
  .describe('The front matter of SKILL.md.');
export type SkillHeader = z.infer<typeof SkillHeader>;

/** Fields that the specification knows; others are ignored, and named. */
export const SKILL_FIELDS: readonly string[] = Object.keys(SkillHeader.shape);

export const SkillPin = z
  .strictObject({
    name: z.string().regex(SKILL_NAME).max(64).describe('Which skill.'),
    source: z.string().max(4096).describe('The folder that it was read from.'),
    sha256: Sha256.describe('Hash over the paths, the execute bits and the contents of its files.'),
    at: Instant.describe('When this content was accepted.'),
    by: z.enum(['first-use', 'person']).describe('Accepted when it was used for the first time, or by a person.'),
  })
  .describe('The content of a skill that may be used.');
export type SkillPin = z.infer<typeof SkillPin>;

export const SkillsConfig = z
  .strictObject({
    folders: z
      .array(z.string().min(1).max(4096))
      .max(50)
      .default([])
      .describe(
        'Further folders with skills, absolute or relative to the home; besides .oka/skills and workspace/skills.',
      ),
  })
  .describe('Skills: folders with a SKILL.md that say how a kind of work is done.');
export type SkillsConfig = z.infer<typeof SkillsConfig>;

/** What of config.json is about skills, for whoever reads nothing else. */
export const ConfigWithSkills = z.object({ skills: SkillsConfig.prefault({}) });
