/** Reads the body of a request, up to a size. */
import type { Context } from 'hono';
import { OkaError } from '../../../core/schema/errors.ts';

const MOST_JSON_BYTES = 2 * 1024 * 1024;

export async function readJsonBody({ req }: Context, most = MOST_JSON_BYTES): Promise<unknown> {
  const bytes = await readBody(req.raw, most);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new OkaError('usage', 'the body is not JSON', { cause: error });
  }
}

/** Stops reading as soon as it is too much, whatever the request says about its length. */
export async function readBody({ headers, body }: Request, most: number): Promise<Buffer> {
  const tooLarge = (): OkaError => new OkaError('usage', `the body is larger than ${Math.floor(most / 1_048_576)} MB`);
  if (Number(headers.get('content-length') ?? 0) > most) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
