/** Owns: which commands of a skill oka would refuse to run, such as one that runs what it downloads. */
import { classify } from '../../core/guard/classify/classify-command.ts';
import type { SkillFile } from '../../kit/skills/skill-folder.ts';

const FENCE = /^(?:`{3,}|~{3,})[ \t]*(?:bash|sh|shell|zsh|console)?[ \t]*\n([\s\S]*?)^(?:`{3,}|~{3,})[ \t]*$/gm;
const MOST = 20;

/** One sentence for each: where it is, what it is, and why it would be refused. */
export function riskyCommands(files: readonly SkillFile[]): string[] {
  const found = files.flatMap(({ path, content }) =>
    commandsIn(path, content.toString('utf8')).flatMap((line) => {
      const { class: effect, reason } = classify({ line });
      return effect === 'deny' ? [`${path}: oka refuses ${JSON.stringify(line.slice(0, 200))}: ${reason}`] : [];
    }),
  );
  return [...new Set(found)].slice(0, MOST);
}

/** Lines of scripts and of the blocks of commands in texts, by themselves: a loop around one does not make it safe. */
function commandsIn(path: string, text: string): string[] {
  const parts = /\.(?:sh|bash)$/.test(path)
    ? [text]
    : path.endsWith('.md')
      ? [...text.matchAll(FENCE)].map(([, inside = '']) => inside)
      : [];
  return parts
    .flatMap((part) => part.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.trim().replace(/^\$ /, ''))
    .filter((line) => /[|`$<]/.test(line) && !line.startsWith('#'));
}
