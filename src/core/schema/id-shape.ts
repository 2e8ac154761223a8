/** What a name looks like that ends up in file names, templates and hashes; names.ts has the schema of it. */
export const ID_SHAPE = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,119}$/;
