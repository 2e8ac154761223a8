/**
 * Pictures of pages compared as a person sees them: both are made small, so that letters become grey, and a point counts
 * as different when its colour is plainly another one. The browser does the drawing; nothing else decodes pictures here.
 */
import type { Page } from 'playwright-core';

/** How much smaller the stored pictures are. */
const SHRINK = 8;

/** A distance of colours, of 0 to 255 in each channel, that is seen at a glance. */
const VISIBLE = 20;

/** The small form of a picture, as a data address. */
export async function shrink(page: Page, png: Buffer): Promise<string> {
  return page.evaluate(
    `(async () => {
      const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
      const [width, height] = [Math.round(picture.width / ${SHRINK}), Math.round(picture.height / ${SHRINK})];
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.drawImage(picture, 0, 0, width, height);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    })()`,
  );
}

/** The share of the points that differ, 0 to 1; 1 for pictures of different sizes. */
export async function differenceOf(page: Page, one: string, other: string): Promise<number> {
  return page.evaluate(
    `(async () => {
      const read = async (base64) => {
        const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob());
        const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
        context.drawImage(picture, 0, 0);
        return context.getImageData(0, 0, picture.width, picture.height);
      };
      const [a, b] = await Promise.all([read('${one}'), read('${other}')]);
      if (a.width !== b.width || a.height !== b.height) return 1;
      let different = 0;
      for (let at = 0; at < a.data.length; at += 4) {
        const [red, green, blue] = [0, 1, 2].map((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]));
        if (0.3 * red + 0.59 * green + 0.11 * blue + Math.max(red, green, blue) / 2 > ${VISIBLE}) different += 1;
      }
      return different / (a.width * a.height);
    })()`,
  );
}
