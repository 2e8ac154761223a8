/** A browser as a person would name it, "Firefox on Windows", from what it says about itself. Pure. */
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'a Mac'],
  [/CrOS/, 'a Chromebook'],
  [/Linux|X11/, 'Linux'],
];

export function browserName(agent: string | undefined): string {
  const find = (names: readonly [RegExp, string][]): string | undefined =>
    names.find(([pattern]) => pattern.test(agent ?? ''))?.[1];
  const [browser, system] = [find(BROWSERS) ?? 'a browser', find(SYSTEMS)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
