/** Somebody else's text on one line, made harmless, and numbers as people read them. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line of somebody's text, with control, invisible and direction characters made harmless. */
export function plainText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(STEERING, '·').trim();
}

export function count(amount: number, noun: string, several = `${noun}s`): string {
  return `${groupDigits(amount)} ${amount === 1 ? noun : several}`;
}

/** 1234567 as 1,234,567; Intl would cost 15 ms of start-up. */
function groupDigits(amount: number): string {
  return String(amount).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

export function bytes(amount: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = amount < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(amount) / 3));
  const value = amount / 1000 ** power;
  return `${power === 0 ? value : value.toPrecision(3)} ${units[power]}`;
}
