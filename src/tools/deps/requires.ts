/** Reading what a task says it needs: jq, rg>=14, node:prettier@3, python:PyYAML, apt:ffmpeg, lib:libGL.so.1. */
import type { Need } from '../../schema/dependency.ts';

const SHAPE =
  /^(?:(node|python|apt|lib|header|font|locale|pkgconfig):)?(@?[A-Za-z0-9][\w./+-]*?)(?:@([\w.+^~*-]+)|\s*((?:[<>=!~]=?|\^)\s*[\w.*, <>=!~]+))?$/;

/** Null when it cannot be read. */
export function needIn(text: string): Need | null {
  const [, family, name, exact, range] = SHAPE.exec(text.trim()) ?? [];
  if (name === undefined) return null;
  const version = exact ?? range?.replaceAll(/\s+/g, '');
  const said = {
    vouched: 'operator' as const,
    evidence: `the task says: requires ${text.trim()}`,
    ...(version === undefined ? {} : { version }),
  };
  switch (family) {
    case 'node':
    case 'python':
      return { kind: family === 'node' ? 'node' : 'python', name, package: `${family}:${name}`, ...said };
    case 'apt':
      return { kind: 'command', name, package: `apt:${name}`, ...said };
    case 'lib':
      return { kind: 'library', name, ...said };
    case 'header':
    case 'font':
    case 'locale':
    case 'pkgconfig':
      return { kind: family, name, ...said };
    default:
      return { kind: 'command', name, ...said };
  }
}
