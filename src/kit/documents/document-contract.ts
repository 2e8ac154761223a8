/** What a document is: the formats, what is asked of one, and what is read. Types and limits only. */

export type DocumentFormat =
  | 'pdf'
  | 'docx'
  | 'odt'
  | 'xlsx'
  | 'xls'
  | 'ods'
  | 'csv'
  | 'pptx'
  | 'odp'
  | 'html'
  | 'epub'
  | 'image'
  | 'eml';

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
  format: DocumentFormat;
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
