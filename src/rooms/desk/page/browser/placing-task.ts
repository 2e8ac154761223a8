/** Owns: the task that puts files, which came with it, into a folder of the desk. Pure. */
import { t } from '../../../../kit/web/browser/words.ts';

/**
 * Files of a task lie in a folder of its own; this moves them to where they belong and removes that folder. What is there
 * already is not replaced: then the task fails and says so, and the files stay in its folder. Removing the folder changes
 * the desk around it, so the task says that it writes there.
 */
export function placingTask(paths: readonly string[], folder: string): string {
  const names = [...new Set(paths.map((path) => path.split('/')[0] ?? path))];
  const target = folder === '' ? '..' : `../${folder}`;
  const what = names.length === 1 ? (names[0] ?? '') : t('{} files', names.length);
  const title = (folder === '' ? t('Put {} on the desk', what) : t('Put {} into {}', what, folder)).replaceAll(
    /[\p{Cc}`]/gu,
    ' ',
  );
  const moves = names.map((name) => {
    const there = quote(`${target}/${name}`);
    return `if [ -e ${there} ]; then echo ${quote(`${name} is there already`)} >&2; exit 1; fi\nmv -- ${quote(name)} ${there}`;
  });
  const own = 'own=$(basename "$PWD")\ncd ..\nrmdir -- "$own"';
  return `---\nwrites: ["."]\n---\n\n# ${title}\n\n\`\`\`bash\nset -e\n${moves.join('\n')}\n${own}\n\`\`\`\n`;
}

/** A word that the shell takes as it is. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
