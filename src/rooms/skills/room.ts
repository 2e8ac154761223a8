/** What skills contribute: their texts as tools, their settings, and what `oka doctor` reports about them. */
import { configPort, defineRoom } from '../../core/schema/room.ts';
import type { SkillsConfig } from '../../core/schema/skill.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { refuseUse } from '../../kit/unused-ports.ts';

const { home, skills: skillsPort } = ports;

export const skills = defineRoom({
  name: 'rooms/skills',
  tools: ['skill.use', 'skill.read'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // a skill may be another one by now: its text is in the record
    return (await import('../../kit/skills/skill-texts.ts')).skillTextTools(refuseUse);
  },
  config: async () => ({ skills: (await import('../../core/schema/skill.ts')).SkillsConfig }),
  findings: async (at) => (await import('./skill-findings.ts')).skillFindings(at),
  needs: { home, config: configPort<SkillsConfig>('skills') },
  gives: { skills: skillsPort },
  open: async (needed) => {
    const [{ openSkills }, { skillTextTools }] = await Promise.all([
      import('./open-skills.ts'),
      import('../../kit/skills/skill-texts.ts'),
    ]);
    const opened = openSkills(needed.home, needed.config, Date.now);
    return { gives: { skills: opened }, tools: skillTextTools(opened.use) };
  },
});
