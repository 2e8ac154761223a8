/** Numbers in a row as little bars; a gap is a dot. */
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** At most `room` characters wide: neighbours are put together where there are more. */
export function sparkline(values: readonly (number | null)[], room: number): string {
  const shown = downsample(values, room);
  const known = shown.filter((value) => value !== null);
  const [least, most] = [Math.min(...known, 0), Math.max(...known, 0)];
  return shown.map((value) => (value === null ? '·' : barOf(value, least, most))).join('');
}

function barOf(value: number, least: number, most: number): string {
  const share = most === least ? 0 : (value - least) / (most - least);
  return BARS[Math.round(share * (BARS.length - 1))] ?? BARS[0];
}

function downsample(values: readonly (number | null)[], room: number): (number | null)[] {
  if (values.length <= room) return [...values];
  return Array.from({ length: room }, (_, n) => {
    const from = Math.floor((n * values.length) / room);
    const part = values.slice(from, Math.max(from + 1, Math.floor(((n + 1) * values.length) / room)));
    const known = part.filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}
