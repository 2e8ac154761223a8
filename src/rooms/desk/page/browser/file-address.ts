/** The address of a file or folder on the page Files. */
import { addressOf } from '../../../../kit/web/browser/start.ts';

export const addressOfFile = (path: string): string =>
  addressOf(path === '' ? '/desk' : `/desk?path=${encodeURIComponent(path)}`);

/** The path that the page shows now. */
export const pathOfFile = (): string => new URLSearchParams(location.search).get('path') ?? '';
