/** A route of the API that is no query, as its documentation describes it. */
import { z } from 'zod';

export type DescribedRoute = {
  method: 'get' | 'post';
  path: string;
  summary: string;
  /** Of the address. */
  params?: z.ZodObject;
  /** Of a POST; an object of which more is said elsewhere when left out. */
  body?: z.ZodType;
  /** JSON unless `media` says otherwise. */
  answer?: z.ZodType;
  media?: string;
  /** 200 unless it says otherwise. */
  status?: number;
  /** It needs no session. */
  isOpen?: true;
};

export const Submitted = z
  .strictObject({
    id: z.string().describe('Names the request.'),
    worker: z.boolean().describe('Whether a worker is there to do it.'),
    done: z.unknown().optional().describe('What the worker answered; left out while the request waits for it.'),
  })
  .describe('A request was passed on to the worker.');
