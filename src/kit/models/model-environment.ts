/** What environment variables say about models; an empty one counts as not set. */
import type { Variables } from '../../core/schema/model-provider.ts';

export type ModelEnvironment = Variables & { readonly OKA_MODEL?: string; readonly OKA_CASSETTE?: string };
