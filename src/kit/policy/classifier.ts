/** Owns: how the commands of a home are classified. */
import { join, relative } from 'node:path';
import { classify } from '../../core/guard/classify/classify-command.ts';
import { copyFinder } from '../../core/guard/classify/find-copy.ts';
import { programFinder } from '../../core/guard/classify/find-program.ts';
import { type GitRemote, readRemotes } from '../../core/guard/git-remotes.ts';
import type { Classified, Command } from '../../core/schema/command.ts';
import { isInFolder, type OpenFolder } from '../../core/schema/folder.ts';
import type { Home } from '../../core/schema/home.ts';

/** `folders` are those outside the desk that the task may use, and `dir` is the folder that the command starts in. */
export type Classifier = (command: Command, folders?: readonly OpenFolder[], dir?: string) => Classified;

export function classifierOf(home: Home): Classifier {
  const toolFolder = join(home.oka, 'tools');
  const desk = join(home.workspace, 'desk');
  const where = { desk, toolFolder, resolve: programFinder(toolFolder) };
  const copied = copyFinder();
  return (command, folders = [], dir = desk) => {
    const roots = [desk, ...folders.map(({ path }) => path)];
    const realFolder = (folder: string): string =>
      isInFolder(folder, desk) ? join(dir, relative(desk, folder)) : folder;
    const remotes = (folder: string): GitRemote[] => readRemotes(realFolder(folder), roots);
    return classify(command, { ...where, folders, remotes, copyOf: (path) => copied(realFolder(path)) });
  };
}

/** The same for a line of shell, such as an example in the policy. */
export function lineClassifierOf(home: Home): (line: string) => Classified {
  const classified = classifierOf(home);
  return (line) => classified({ line });
}
