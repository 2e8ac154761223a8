/** The skills of a home, as other rooms use them. */
import type { SkillFolder } from '../skills/skill-folder.ts';

export type SkillsPort = {
  /** Name and description of each skill that can be used, as they were a few seconds ago at most. */
  usable: () => readonly { name: string; description: string }[];
  /** The accepted content of a skill and the folder of its copy. Throws when it cannot be used. */
  use: (name: string) => SkillFolder;
};
