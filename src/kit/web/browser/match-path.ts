/** Finds the page of an address, and the parameters in it. Server and browser both use it. */

export type Found<P> = { page: P; params: Record<string, string> };

export function findPage<P extends { readonly path: string }>(pages: readonly P[], path: string): Found<P> | null {
  const parts = partsOf(path);
  for (const page of pages) {
    const params = matchParts(partsOf(page.path), parts);
    if (params !== null) return { page, params };
  }
  return null;
}

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const given = parts[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = given;
    else if (part !== given) return null;
  }
  return params;
}

function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
