/** Owns: the skills of a home while a process works with them. */
import type { Home } from '../../core/schema/home.ts';
import type { SkillsConfig } from '../../core/schema/skill.ts';
import { findSkills, type FoundSkill, skillNamed, skillStoreIn, useSkill } from './home-skills.ts';
import type { SkillsPort } from '../../kit/ports/skills-port.ts';

/** Reading thirty skills takes some milliseconds; a prompt may be made several times a second. */
const FRESH_MS = 3000;

export function openSkills(home: Home, config: SkillsConfig, clock: () => number): SkillsPort {
  const store = skillStoreIn(home);
  let known: { at: number; usable: ReturnType<SkillsPort['usable']> } | null = null;
  const find = (): FoundSkill[] => findSkills(home, config, store);
  return {
    usable: () => {
      const now = clock();
      if (known !== null && Math.abs(now - known.at) < FRESH_MS) return known.usable;
      const usable = find().flatMap(({ name, status, skill }) =>
        skill !== null && (status === 'ready' || status === 'new')
          ? [{ name, description: skill.header.description }]
          : [],
      );
      known = { at: now, usable };
      return usable;
    },
    use: (name) => useSkill(skillNamed(find(), name), store, clock()),
  };
}
