/**
 * What can do the work of a program that only an image can contain: other programs, tools of oka, and packages that are
 * installed by themselves when a script imports them. A worker reads this before any person is asked.
 */

/** `programs: alternatives`, one row a line. */
const ROWS = `
  pdftotext pdfinfo pdfseparate pdfunite qpdf pdftk mutool: python3 with pypdf or pdfplumber
  pdftoppm: python3 with PyMuPDF (import fitz)
  libreoffice soffice: python3 with openpyxl, python-docx, python-pptx or odfpy
  convert magick identify mogrify montage optipng jpegoptim pngquant cwebp gifsicle: python3 with Pillow
  exiftool: python3 with Pillow or ExifRead
  dot neato gnuplot octave Rscript R: python3 with matplotlib, networkx or pandas
  pandoc asciidoctor: python3 with Markdown or python-docx
  wkhtmltopdf weasyprint ps2pdf gs: python3 with reportlab
  sqlite3: python3, whose module sqlite3 is always there
  psql pg_dump: python3 with psycopg2
  mysql mysqldump: python3 with PyMySQL
  redis-cli: python3 with redis
  xmllint xsltproc xmlstarlet tidy: python3 with lxml
  jq yq: node -e, or python3 with PyYAML
  zip unzip: python3 -m zipfile
  7z 7za: python3 with py7zr
  unrar: python3 with rarfile
  xz bzip2: python3, whose modules lzma and bz2 are always there
  zstd: python3 with zstandard
  curl wget: the tools http.get and web.read
  dig nslookup host: python3, whose module socket is always there
  openssl gpg: python3 with cryptography
  bc dc: python3 or node -e
  tree: find . or files.list
  file: python3 with python-magic
  mediainfo ffprobe: python3 with mutagen
  git svn hg: none
`;

const ALTERNATIVES = new Map(
  ROWS.trim()
    .split('\n')
    .flatMap((row) => {
      const [programs = '', others = ''] = row.trim().split(/: (.*)/s);
      return others === 'none' ? [] : programs.split(' ').map((program): [string, string] => [program, others]);
    }),
);

/** What a worker is advised when a program is missing that oka cannot install. */
export function adviceFor(program: string): string {
  const others = ALTERNATIVES.get(program) ?? 'python3 or node';
  return `"${program}" is not on this machine, and oka cannot install it. Try without it, such as with ${others}; packages of Python and Node are installed when they are imported. Only if there is no other way, run the same command once more: then a person is asked to install it.`;
}
