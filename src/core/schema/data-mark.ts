/** The marks that enclose material in a prompt, so that a model does not read it as instructions. */
import { hash } from 'node:crypto';

/** The marks contain a hash of the text, so the text cannot contain them. `label` says where the text comes from. */
export function markAsData(label: string, text: string): string {
  const mark = hash('sha256', text).slice(0, 8);
  return `<data ${mark} ${label.replaceAll(/[<>]/g, ' ')}>\n${text}\n</data ${mark}>`;
}
