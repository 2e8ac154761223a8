/** Says a line to the person who is watching. */
export type Log = (line: string) => void;
