/** Programs of others that make documents: LibreOffice and Debian's Python. As root they are installed if they are missing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export type MadeDocument = { file: string; has: string[] };

const PYTHON = '/usr/bin/python3';
const PACKAGES =
  'libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui python3-openpyxl python3-reportlab python3-docx python3-pil';

/** Null, or why the trials cannot be made here. */
export function missingPrograms(): string | null {
  if (arePresent()) return null;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const install = ['install', '-y', '--no-install-recommends', ...PACKAGES.split(' ')];
    spawnSync('apt-get', ['update'], { stdio: 'ignore' });
    spawnSync('apt-get', install, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  }
  return arePresent() ? null : `LibreOffice or Python's document libraries are missing: apt-get install ${PACKAGES}`;
}

function arePresent(): boolean {
  const python = spawnSync(PYTHON, ['-c', 'import openpyxl, reportlab, docx, PIL']);
  return python.status === 0 && spawnSync('soffice', ['--version']).status === 0;
}

export function makeDocuments(folder: string): MadeDocument[] {
  const list = execFileSync(PYTHON, [join(import.meta.dirname, 'make_documents.py'), folder], { encoding: 'utf8' });
  const documents = JSON.parse(list) as MadeDocument[];
  const sources = (pattern: RegExp): string[] =>
    documents.flatMap(({ file }) => (pattern.test(file) ? [join(folder, file)] : []));
  for (const kind of ['pdf', 'docx:MS Word 2007 XML', 'odt', 'epub'])
    convert(folder, kind, sources(/\.html$/), '--infilter=HTML (StarWriter)');
  for (const kind of ['xlsx', 'ods', 'xls'])
    convert(folder, kind, sources(/^table.*\.csv$/), '--infilter=CSV:44,34,76,1');
  const slides = [0, 1].map((number) => join(folder, `slides${number}.fodp`));
  for (const kind of ['pptx', 'odp', 'pdf']) convert(folder, kind, slides);
  return documents;
}

function convert(folder: string, kind: string, files: readonly string[], ...options: string[]): void {
  const profile = `-env:UserInstallation=file://${join(folder, '.profile')}`;
  execFileSync('soffice', [profile, '--headless', ...options, '--convert-to', kind, '--outdir', folder, ...files], {
    stdio: 'ignore',
  });
}
