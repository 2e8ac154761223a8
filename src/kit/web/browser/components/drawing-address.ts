/**
 * A drawing of a result as the address of a picture. The server sends a copy without anything that leads elsewhere, as a
 * page; what is the drawing in it becomes an SVG again. As a picture a browser neither runs nor fetches anything for it.
 */
import { askServer } from '../session-key.ts';

const NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

export async function addressOfDrawing(href: string): Promise<string> {
  const answer = await askServer(`/${href}`);
  const [drawing] = /<svg\b[\s\S]*<\/svg>/.exec(answer.ok ? await answer.text() : '') ?? [];
  if (drawing === undefined) throw new Error('there is no drawing in it');
  return `data:image/svg+xml,${encodeURIComponent(drawing.replace('<svg', `<svg ${NAMES}`))}`;
}
