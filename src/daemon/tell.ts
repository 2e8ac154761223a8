/** Says a line to the person who is watching. */
export type Tell = (line: string) => void;
