/**
 * Owns: what is started for a server over pipes, and by what it is recognised.
 *
 * C1 A package is never fetched when a server starts: it is installed before, by the installer, and started from .oka/tools.
 * C2 The identity is the command with its arguments and, for a package, its version and the hash of what was installed; for
 *    a server elsewhere it is the address. Where it differs, nothing that was accepted counts.
 */
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { isStdio, type McpServer, type StdioServer } from '../../core/schema/mcp.ts';
import { canonicalText } from './client/read-definitions.ts';
import { installWords, type PackageLine, parsePackageLine } from './client/package-line.ts';

type InstalledPackage = { version: string; integrity: string; program: string };

/** The command that is run. Throws when its package is not installed, with the command that installs it. */
export function serverCommand(home: Home, server: StdioServer): { argv: string[]; installed: InstalledPackage | null } {
  const line = packageLine(server);
  if (line === null) return { argv: [server.command, ...server.args], installed: null };
  const installed = line.by === 'node' ? findNodePackage(home, line) : findPythonPackage(home, line);
  if (installed === null)
    throw new OkaError('not-set-up', `the package ${line.name} is not installed`, {
      fix: `Install it: oka tools install ${installWords(line)}`,
    });
  return { argv: [installed.program, ...line.args], installed };
}

/** The package that a command would fetch; null when it runs a program that is here. */
export function packageLine(server: StdioServer): PackageLine | null {
  const line = parsePackageLine(server.command, server.args);
  if (line !== null && 'problem' in line)
    throw new OkaError('usage', line.problem, { fix: 'Install it, and name the program itself as the command.' });
  return line;
}

export function serverIdentity(home: Home, server: McpServer): string {
  if (!isStdio(server)) return canonicalText({ url: server.url });
  const { installed } = serverCommand(home, server);
  const { command, args } = server;
  const pinned = installed === null ? {} : { version: installed.version, integrity: installed.integrity };
  return canonicalText({ command, args, ...pinned });
}

function findNodePackage(home: Home, { name, program, version }: PackageLine): InstalledPackage | null {
  const tools = join(home.oka, 'tools');
  const link = join(tools, 'node', 'lib', 'node_modules', ...name.split('/'));
  if (!existsSync(link)) return null;
  const folder = realpathSync(link);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string;
    bin?: string | Record<string, string>;
  };
  if (version !== null && /^\d+\.\d+\.\d+/.test(version) && manifest.version !== version) return null;
  const names = typeof manifest.bin === 'string' ? [name.split('/').at(-1) ?? ''] : Object.keys(manifest.bin ?? {});
  const wanted = program ?? (names.length === 1 ? names[0] : names.find((each) => each === name.split('/').at(-1)));
  const file = wanted === undefined ? null : join(tools, 'node', 'bin', wanted);
  if (file === null || !existsSync(file)) return null;
  const lock = join(folder.slice(0, folder.lastIndexOf('/node_modules/')), 'package-lock.json');
  return { version: manifest.version, integrity: hash('sha256', readFileSync(lock)), program: realpathSync(file) };
}

function findPythonPackage(home: Home, { name, program, version }: PackageLine): InstalledPackage | null {
  const tools = join(home.oka, 'tools');
  const wanted = program ?? name;
  const file = [join(tools, 'bin', wanted), join(tools, 'python', 'bin', wanted)].find((each) => existsSync(each));
  if (file === undefined) return null;
  const real = realpathSync(file);
  const lib = join(dirname(dirname(real)), 'lib');
  for (const python of existsSync(lib) ? readdirSync(lib) : [])
    for (const entry of readdirSync(join(lib, python, 'site-packages'))) {
      const [, found, at] = /^(.+?)-([^-]+)\.dist-info$/.exec(entry) ?? [];
      if (found === undefined || at === undefined || normalized(found) !== normalized(name)) continue;
      if (version !== null && at !== version) return null;
      const record = readFileSync(join(lib, python, 'site-packages', entry, 'RECORD'));
      return { version: at, integrity: hash('sha256', record), program: join(dirname(real), basename(real)) };
    }
  return null;
}

const normalized = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');
