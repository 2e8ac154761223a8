/** The tools that may change files on the desk. Such a call waits until it is its turn to write (rooms/desk/desk-turns.ts). */
export const DESK_WRITERS: ReadonlySet<string> = new Set([
  'shell',
  'skill.run',
  'files.write',
  'files.edit',
  'files.move',
  'files.remove',
]);
