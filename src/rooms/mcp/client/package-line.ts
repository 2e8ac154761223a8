/**
 * Owns: recognising a command that would fetch a package and run it (`npx -y server`, `uvx server`), so that the package is
 * installed once, pinned, and started from .oka/tools.
 */
export type PackageLine = {
  by: 'node' | 'python';
  name: string;
  version: string | null;
  /** The program of the package; null: the one that is named like it. */
  program: string | null;
  args: string[];
};

const NODE_RUNNERS = [['npx'], ['bunx'], ['pnpx'], ['pnpm', 'dlx'], ['yarn', 'dlx'], ['npm', 'exec'], ['npm', 'x']];
const PYTHON_RUNNERS = [['uvx'], ['uv', 'tool', 'run'], ['pipx', 'run']];
const FLAGS = /^(?:-y|-q|--yes|--quiet|--silent|--no-install|--prefer-offline|--isolated|--no-cache|--)$/;
const WITH_PACKAGE = /^(?:-p|--package|--from|--spec)(?:=(.*))?$/;

/** Null for a command that is already here; a problem where a package is named in a form that cannot be installed. */
export function parsePackageLine(command: string, args: readonly string[]): PackageLine | { problem: string } | null {
  const words = [
    command
      .split('/')
      .at(-1)
      ?.replace(/\.cmd$/, '') ?? '',
    ...args,
  ];
  const runner = (known: readonly string[][]): string[] | undefined =>
    known.find((each) => each.every((word, index) => words[index] === word));
  const node = runner(NODE_RUNNERS);
  const found = node ?? runner(PYTHON_RUNNERS);
  if (found === undefined) return null;
  const rest = words.slice(found.length);
  let spec: string | null = null;
  while (rest.length > 0) {
    const [word = ''] = rest;
    const named = WITH_PACKAGE.exec(word);
    if (named !== null) {
      rest.shift();
      spec = named[1] ?? rest.shift() ?? null;
    } else if (FLAGS.test(word)) rest.shift();
    else break;
  }
  const [first] = rest;
  if (first?.startsWith('-') === true)
    return { problem: `the option ${first} of ${found.join(' ')} is not known here` };
  const program = spec === null ? null : (rest.shift() ?? null);
  spec ??= rest.shift() ?? null;
  if (spec === null) return { problem: `${found.join(' ')} names no package` };
  return toPackage(node === undefined ? 'python' : 'node', spec, program, rest);
}

function toPackage(
  by: 'node' | 'python',
  spec: string,
  program: string | null,
  args: string[],
): PackageLine | { problem: string } {
  const shape = by === 'node' ? /^(@?[^@]+)(?:@(.+))?$/ : /^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(?:(?:@|==)(.+))?$/;
  const [, name, version] = shape.exec(spec) ?? [];
  if (name === undefined || /[:\s]|^\.|\/\/|^git/.test(name))
    return { problem: `${spec} is not a package of ${by === 'node' ? 'npm' : 'PyPI'}` };
  return { by, name, version: version === undefined || version === 'latest' ? null : version, program, args };
}

/** The words with which `oka tools install` installs it. */
export const installWords = ({ by, name, version }: PackageLine): string =>
  `${by}:${name}${version === null ? '' : by === 'node' ? `@${version}` : `==${version}`}`;
