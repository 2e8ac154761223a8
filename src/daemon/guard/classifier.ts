/** Owns: how the commands of a home are classified. */
import { join } from 'node:path';
import { classify } from '../../guard/classify/classify-command.ts';
import { programFinder } from '../../guard/classify/find-program.ts';
import type { Classified, Command } from '../../schema/command.ts';
import type { OpenFolder } from '../../schema/folder.ts';
import type { Home } from '../../schema/home.ts';

/** `folders` are those outside the desk that the task may use. */
export type Classifier = (command: Command, folders?: readonly OpenFolder[]) => Classified;

export function classifierOf(home: Home): Classifier {
  const toolFolder = join(home.oka, 'tools');
  const where = { desk: join(home.workspace, 'desk'), toolFolder, resolve: programFinder(toolFolder) };
  return (command, folders = []) => classify(command, { ...where, folders });
}

/** The same for a line of shell, such as an example in the policy. */
export function lineClassifierOf(home: Home): (line: string) => Classified {
  const classified = classifierOf(home);
  return (line) => classified({ line });
}
