/** Owns: what this process must not leave to others, whatever it inherited from whoever started it. */

/** For this process and all that it starts. */
export function hardenProcess(): void {
  process.umask(process.umask(0o022) | 0o002); // no file is writable by all users, also with umask 000
  omitMemoryFromCoreDumps();
}

/** Memory contains secrets. Node cannot set a limit on core dumps; on Linux, they can be configured to contain no memory. */
function omitMemoryFromCoreDumps(): void {
  try {
    process.getBuiltinModule('node:fs').writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // not Linux, or without /proc: the limit that the shell has set is valid
  }
}
