/** Always the same cases; SEED=… tries others. */
import * as fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20_260_801) });
