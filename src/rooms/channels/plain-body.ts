/** The words of a message where there is no markdown. Pure. */

export function toPlainBody(markdown: string, mostBytes: number): string {
  const plain = markdown
    .replaceAll(/^#{1,6} +/gm, '')
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '$1')
    .trim();
  return cutBytes(plain, mostBytes);
}

/** Cuts between characters. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text).subarray(0, most - 3);
  return `${new TextDecoder().decode(bytes, { stream: true })}…`;
}
