/** Reading what `uv pip compile --format pylock.toml` writes: packages and the wheels that each could come from. Pure. */

export type LockedWheel = { file: string; url: string; sha256: string | null; uploaded: string | null };
type LockedPackage = { name: string; version: string; wheels: LockedWheel[] };

export function parseLockedPackages(text: string): LockedPackage[] {
  return text
    .split(/^\[\[packages\]\]$/m)
    .slice(1)
    .map((part) => ({
      name: readTomlField(part, 'name'),
      version: readTomlField(part, 'version'),
      wheels: parseWheels(part),
    }));
}

/** The wheel that uv settled on: the only one, or the one it names while it decides. */
export function chosenWheel({ name, version, wheels }: LockedPackage, output: string): LockedWheel | null {
  if (wheels.length === 1) return wheels[0] ?? null;
  const chosen = [...output.matchAll(/\bSelecting: (\S+)==(\S+) \[[^\]]*\] \((\S+\.whl)\)/g)].findLast(
    ([, its, number]) => its === name && number === version,
  )?.[3];
  return wheels.find(({ file }) => file === chosen) ?? null;
}

function readTomlField(part: string, name: string): string {
  return new RegExp(`^${name} = "([^"]*)"$`, 'm').exec(part)?.[1] ?? '';
}

function parseWheels(part: string): LockedWheel[] {
  const rows = [...part.matchAll(/\{[^{}]*hashes = \{[^{}]*\}[^{}]*\}/g)].map(([row]) => {
    const url = /\b(?:url|path) = "([^"]+)"/.exec(row)?.[1] ?? '';
    return {
      url,
      file: decodeURIComponent(url.split(/[?#]/)[0]?.split('/').at(-1) ?? ''),
      sha256: /\bsha256 = "([0-9a-f]{64})"/.exec(row)?.[1] ?? null,
      uploaded: /\bupload-time = ([^\s,}]+)/.exec(row)?.[1] ?? null,
    };
  });
  return rows.filter(({ file }) => file.endsWith('.whl'));
}
