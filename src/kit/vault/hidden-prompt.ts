/** Asking a person for something that must not be seen while it is typed. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OkaError } from '../../core/schema/errors.ts';

/** The line that a person types; nothing of it is shown. Refused when there is no terminal. */
export async function hiddenAnswer(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new OkaError('refused', `${question.trim()} cannot be asked: there is no terminal`, {
      fix: 'Run it in a terminal. Where nobody sits, give the key without a passphrase as the mounted secret oka_identity.',
    });
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  process.stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new OkaError('refused', 'nothing was entered')));
      lines.once('close', () => reject(new OkaError('refused', 'nothing was entered')));
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

export const askPassphrase = (key: string): Promise<string> => hiddenAnswer(`Passphrase of ${key}: `);
