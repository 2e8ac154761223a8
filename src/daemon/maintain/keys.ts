/**
 * Keys as SQLite sorts them: by code point, where a book sorts by code unit. What lies at or above the surrogates is
 * spelled with two units below them, so that both orders are the same and half a pair is kept, too.
 */
const ESCAPE = 0xd7_ff;
const SPELLED_FROM = 0x10_00;

export function toKey(key: string): string {
  if (!/[\ud7ff-\uffff]/.test(key)) return key;
  return key.replaceAll(/[\ud7ff-\uffff]/g, (unit) =>
    String.fromCharCode(ESCAPE, SPELLED_FROM + unit.charCodeAt(0) - ESCAPE),
  );
}

export function fromKey(spelled: string): string {
  return spelled.replaceAll(/\ud7ff([^])/g, (_, unit: string) =>
    String.fromCharCode(unit.charCodeAt(0) - SPELLED_FROM + ESCAPE),
  );
}
