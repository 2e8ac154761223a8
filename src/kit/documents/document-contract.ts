/** What is asked of a document, and what is read. Types and limits only. */

export type DocumentRequest = {
  /** Its file name: the extension tells formats that have no signature. */
  name: string;
  /** Pages, slides or chapters, such as "3" or "2-5"; all when left out. */
  pages?: string | undefined;
  /** Name or number (from 1) of a sheet; all when left out. */
  sheet?: string | undefined;
  /** Cells, such as "A1:D20". */
  range?: string | undefined;
};

export type DocumentText = {
  /** What kind of document it is (document-kinds.ts). */
  format: string;
  title?: string;
  /** Plain text or markdown, at most TEXT_LIMIT characters. */
  text: string;
  /** How many pages, slides or chapters there are. */
  pages?: number;
  sheets?: { name: string; rows: number; columns: number }[];
  image?: { type: string; width: number; height: number };
  attachments?: { name: string; type: string; bytes: number }[];
  /** There was more text than is given. */
  cut?: true;
};

/** What a reader makes of a document. */
export type DocumentBody = Omit<DocumentText, 'format'>;

/** Why a document cannot be read, and what to do about it. */
type DocumentProblem = { problem: string; fix: string };

export type DocumentReply = { document: DocumentText } | DocumentProblem;

export const TEXT_LIMIT = 2_000_000;
/** Larger files are not read. */
export const DOCUMENT_BYTES = 67_108_864;

/** Thrown by readers about a file that they understand well enough to say what is wrong. */
export class Unreadable extends Error {
  readonly fix: string;
  constructor(problem: string, fix: string) {
    super(problem);
    this.fix = fix;
  }
}
