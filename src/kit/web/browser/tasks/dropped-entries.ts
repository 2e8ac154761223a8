/** Files and folders that are dropped onto the page, with their paths. */

export type Chosen = { path: string; file: File };

/** More are refused by the server; reading on would only take time. */
const MOST = 2000;

/** Reads what was dropped; folders with everything in them. Call it before the event ends, since the list is emptied then. */
export async function readDropped({ items, files }: DataTransfer): Promise<Chosen[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files].map((file) => ({ path: file.name, file }));
  const found: Chosen[] = [];
  for (const entry of entries) await collect(entry, found);
  return found;
}

/** What a person chose by the button; of a folder, the path below it is in the file. */
export const readChosen = (files: Iterable<File>): Chosen[] =>
  [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));

async function collect(entry: FileSystemEntry, found: Chosen[]): Promise<void> {
  if (found.length >= MOST) return;
  if (isFile(entry)) {
    const file = await new Promise<File>((done, fail) => entry.file(done, fail));
    found.push({ path: entry.fullPath.replace(/^\//, ''), file });
  } else if (isFolder(entry)) for (const inner of await listFolder(entry)) await collect(inner, found);
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** A browser gives a folder in parts, until a part is empty. */
async function listFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (part.length === 0 || all.length > MOST) return all;
    all.push(...part);
  }
}
