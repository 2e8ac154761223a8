/** Owns: recognising names of files in sentences. */
const EXTENSIONS =
  'bak|bib|c|cfg|conf|cpp|csv|css|db|diff|docx?|eml|env|epub|gif|go|gz|h|html?|ics|ini|ipynb|java|jpe?g|js|json|jsonl|jsx|log|lock|md|mdx|mjs|mp3|mp4|ndjson|numbers|odp|ods|odt|out|patch|pdf|php|png|pptx?|ps1|py|rb|rs|rst|rtf|scss|sh|sql|sqlite|svg|tar|tex|tgz|toml|ts|tsv|tsx|txt|vcf|wav|webp|xlsx?|xml|ya?ml|zip';

const FILE = new RegExp(
  String.raw`(?<![\w@/.:+-])(?:\.{0,2}/)?(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.(?:${EXTENSIONS})(?![\w@-]|\.\w|/)`,
  'gi',
);

/** Files of programs, whose figures and names are no statements about anything. */
export const PROGRAM_FILE =
  /\.(?:c|cpp|css|go|h|html?|ipynb|java|jsx?|mjs|php|ps1|py|rb|rs|scss|sh|sql|tsx?|xml|lock)$/i;

/** File names with a usual extension, in order; addresses of the web are none. */
export function fileNamesIn(text: string): string[] {
  return (text.replaceAll(/\bhttps?:\/\/\S+/g, ' ').match(FILE) ?? []).map((path) => path.replace(/^(?:\.\/)+/, ''));
}

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.replace(/\/+$/, '').lastIndexOf('/') + 1);

/** Whether two paths can mean the same file: one is the end of the other, from a slash on. */
export function mayBeSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}
