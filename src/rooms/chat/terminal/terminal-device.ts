/** Owns: the terminal of this process in raw mode. However it is left, it is as it was before. */
import type { TerminalDevice } from '../../../kit/cli/io.ts';

const PASTE_ON = '\u001B[?2004h';
const PASTE_OFF = '\u001B[?2004l';

export function openDevice(): TerminalDevice {
  const { stdin, stdout } = process;
  const write = (text: string): void => void stdout.write(text);
  return {
    write,
    columns: () => Math.max(20, stdout.columns || 80),
    rows: () => Math.max(5, stdout.rows || 24),
    onResize: (listener) => {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
    readKeys: (onChunk, onEnd) => {
      const restore = (): void => {
        stdin.setRawMode(false);
        write(PASTE_OFF);
      };
      stdin.setRawMode(true);
      stdin.setEncoding('utf8');
      stdin.on('data', onChunk);
      stdin.on('end', onEnd);
      process.on('exit', restore);
      stdin.resume();
      write(PASTE_ON);
      return () => {
        stdin.off('data', onChunk);
        stdin.off('end', onEnd);
        process.off('exit', restore);
        stdin.pause();
        restore();
      };
    },
  };
}
