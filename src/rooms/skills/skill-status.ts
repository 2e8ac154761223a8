/** The status of a skill, in colour. */
import type { SkillStatus } from './home-skills.ts';
import type { Terminal } from '../../kit/cli/io.ts';

export function colourSkillStatus(status: SkillStatus, { green, yellow, red }: Terminal): string {
  switch (status) {
    case 'ready':
    case 'new':
      return green(status);
    case 'changed':
    case 'duplicate':
      return yellow(status);
    case 'broken':
      return red(status);
  }
}
