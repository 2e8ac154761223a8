/** Languages that pages and results can be in. English is what the source says; the others are catalogues of sentences. */
import { z } from 'zod';

export const Language = z.enum(['en', 'de', 'fr', 'es']);
export type Language = z.infer<typeof Language>;
