/** Where pip is configured to search, by its variables and files: uv gets the same, so that there is one place to configure. */
import { readFileSync } from 'node:fs';
import type { Manager } from './installer.ts';

type PipSettings = {
  index: string | null;
  extra: readonly string[];
  links: readonly string[];
  trusted: readonly string[];
  isOffline: boolean;
};

/** A variable beats a file, an earlier file beats later ones. */
export function readPipSettings({ env, files }: Manager): PipSettings {
  const tables = files.map((file) => parseSettings(file));
  const valueOf = (name: string): string | undefined =>
    env[`PIP_${name.toUpperCase().replaceAll('-', '_')}`] ?? tables.find((table) => table.has(name))?.get(name);
  const list = (name: string): string[] => (valueOf(name) ?? '').split(/[\s,]+/).filter((each) => each !== '');
  return {
    index: valueOf('index-url') ?? null,
    extra: list('extra-index-url'),
    links: list('find-links'),
    trusted: list('trusted-host'),
    isOffline: /^(?:1|true|yes|on)$/i.test(valueOf('no-index') ?? ''),
  };
}

/** The settings in [global], and in [download] and [install], which win. */
function parseSettings(file: string): ReadonlyMap<string, string> {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  let last = '';
  for (const line of readTextOrEmpty(file).split('\n')) {
    const [, title] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    const [, name, value = ''] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (title !== undefined) sections.set(title, (section = sections.get(title) ?? new Map<string, string>()));
    else if (name !== undefined) section.set((last = name.replaceAll('_', '-')), value.trim());
    else if (/^\s+[^\s#;]/.test(line) && last !== '') section.set(last, `${section.get(last) ?? ''} ${line.trim()}`);
  }
  return new Map(['global', 'install', 'download'].flatMap((title) => [...(sections.get(title) ?? [])]));
}

function readTextOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
