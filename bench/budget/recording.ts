/** Starts programs with record-calls.ts in front, and counts what it has recorded of them. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Recording = {
  /** Variables of a program that is recorded. */
  readonly env: Readonly<Record<string, string>>;
  /** The lines since the last time. */
  lines(): string[];
};

export type Loaded = { modules: number; packages: number; source_bytes: number };

const recorder = new URL('record-calls.ts', import.meta.url).href;
const FLUSHES = /^call f?(?:data)?sync(?:Sync)? /;
const CHANGES =
  /^call (?:append|chmod|copy|cp|fchmod|ftruncate|futimes|link|mkd|rename|rm|symlink|truncate|unlink|utimes|write)/;
/** Written when time has passed, and not because of one task or another: signs of life, anchors, checks and what is folded for people. */
const BY_TIME = /^call .*(?:\/index(?:\/|$)|\.(?:heartbeat|head)\.json|_verification\.json|\/locks$|\/oka\/homes\/)/;

export function openRecording(folder: string, name: string): Recording {
  const file = join(folder, `${name}.calls`);
  writeFileSync(file, '');
  let read = 0;
  return {
    env: { OKA_RECORD: file, NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import ${recorder}` },
    lines: () => {
      const bytes = readFileSync(file);
      const end = bytes.lastIndexOf('\n') + 1;
      const text = bytes.toString('utf8', read, end);
      read = end;
      return text.split('\n').filter((line) => line !== '' && !BY_TIME.test(line));
    },
  };
}

/** Modules of Node itself come with it, and the one that records is not the program's. */
export function loadedIn(lines: readonly string[]): Loaded {
  const urls = lines.filter((line) => line.startsWith('module file:')).map((line) => line.slice('module '.length));
  const files = [...new Set(urls)].map((url) => fileURLToPath(url.replace(/\?.*/, '')));
  return {
    modules: files.length,
    packages: packagesOf(files).length,
    source_bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
  };
}

export function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
  return [...new Set(names)].toSorted();
}

export const flushesIn = (lines: readonly string[]): number => lines.filter((line) => FLUSHES.test(line)).length;

/** Calls that change something on the disk, flushes apart. */
export const changesIn = (lines: readonly string[]): number => lines.filter((line) => CHANGES.test(line)).length;

export const callsIn = (lines: readonly string[]): number => lines.filter((line) => line.startsWith('call ')).length;
