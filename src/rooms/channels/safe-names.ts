/** Names of files that strangers send. Pure. */
import { programTrigger } from '../../core/schema/program-triggers.ts';

/** Names of files as they may stand on a disk, each different from the others and from those that are taken. */
export function safeNames(taken: readonly string[], names: readonly string[]): string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  return names.map((name) => {
    const plain = (name.split(/[/\\]/).at(-1) ?? '')
      .normalize('NFC')
      .replaceAll(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '_')
      .replaceAll(/^[.\s]+|[.\s]+$/g, '');
    const base = withoutEffect(cutName(plain === '' ? 'attachment' : plain));
    let safe = base;
    for (let number = 2; used.has(safe.toLowerCase()); number += 1) safe = numbered(base, number);
    used.add(safe.toLowerCase());
    return safe;
  });
}

/** A file that came with a mail gives no instructions and makes no program run by its name alone. */
const withoutEffect = (name: string): string =>
  /^agents\.md$/i.test(name) || programTrigger(name) !== null ? `${name}.txt` : name;

/** At most 120 characters, with the extension. */
function cutName(name: string): string {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 12 ? name.slice(dot) : '';
  return (
    Array.from(name.slice(0, name.length - extension.length))
      .slice(0, 100)
      .join('') + extension
  );
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}-${number}${name.slice(dot)}` : `${name}-${number}`;
}
