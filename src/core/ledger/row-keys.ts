/**
 * Spells row keys so that SQLite, which sorts by code point, sorts them by code unit as JavaScript does. A code unit at
 * or above the surrogates is spelled with two units below them; half a surrogate pair survives, too.
 */
const ESCAPE = 0xd7_ff;
const SPELLED_FROM = 0x10_00;

export function toStoredKey(key: string): string {
  if (!/[\ud7ff-\uffff]/.test(key)) return key;
  return key.replaceAll(/[\ud7ff-\uffff]/g, (unit) =>
    String.fromCharCode(ESCAPE, SPELLED_FROM + unit.charCodeAt(0) - ESCAPE),
  );
}

export function fromStoredKey(stored: string): string {
  if (!stored.includes('\ud7ff')) return stored;
  return stored.replaceAll(/\ud7ff([^])/g, (_, unit: string) =>
    String.fromCharCode(unit.charCodeAt(0) - SPELLED_FROM + ESCAPE),
  );
}

/** Greater than every stored key that begins with the given one. */
export const endOfPrefix = (storedPrefix: string): string => `${storedPrefix}\ue000`;

/** The least key that is greater than the given one. */
export const nextKey = (storedKey: string): string => `${storedKey}\0`;
