/** Numbers in the text format of Prometheus. Pure. */

export type Sample = { labels?: Readonly<Record<string, string>>; value: number };

/** `name` without the prefix oka_; a counter only grows. */
export type Family = { name: string; help: string; type: 'counter' | 'gauge'; samples: readonly Sample[] };

export function renderMetrics(families: readonly Family[]): string {
  return families.map(renderFamily).join('');
}

function renderFamily({ name, help, type, samples }: Family): string {
  const full = `oka_${name}${type === 'counter' ? '_total' : ''}`;
  const head = `# HELP ${full} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${full} ${type}\n`;
  return head + samples.map(({ labels = {}, value }) => `${full}${renderLabels(labels)} ${value}\n`).join('');
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return all.length === 0 ? '' : `{${all.join(',')}}`;
}

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
