/** Reading what a task says it needs: jq, rg>=14, node:prettier@3, python:PyYAML, apt:ffmpeg, lib:libGL.so.1. */
import type { Need } from '../../../core/schema/dependency.ts';

const SHAPE =
  /^(?:(node|python|apt|lib|header|font|locale|pkgconfig):)?(@?[A-Za-z0-9][\w./+-]*?)(?:@([\w.+^~*-]+)|\s*((?:[<>=!~]=?|\^)\s*[\w.*, <>=!~]+))?$/;

/** Null when it cannot be read. */
export function parseNeed(text: string): Need | null {
  const [, family, name, exact, range] = SHAPE.exec(text.trim()) ?? [];
  if (name === undefined) return null;
  const version = exact ?? range?.replaceAll(/\s+/g, '');
  const details = {
    vouched: 'operator' as const,
    evidence: `the task says: requires ${text.trim()}`,
    ...(version === undefined ? {} : { version }),
  };
  if (family === 'node' || family === 'python') return { kind: family, name, package: `${family}:${name}`, ...details };
  if (family === 'apt') return { kind: 'command', name, package: `apt:${name}`, ...details };
  return { kind: KINDS[family ?? ''] ?? 'command', name, ...details };
}

const KINDS: Readonly<Record<string, Need['kind']>> = {
  lib: 'library',
  header: 'header',
  font: 'font',
  locale: 'locale',
  pkgconfig: 'pkgconfig',
  device: 'device',
  capability: 'capability',
};
