/** The name under which the person at the command line answers. */
import { userInfo } from 'node:os';

/** In a container the user often has an id but no name. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
