import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Begins with the files named, in their order, so that no long one is left alone at the end while a core is idle. A clean
 * clone knows no times of earlier runs; the others follow as vitest orders them, the largest first.
 */
export const longestFirst = (names: readonly string[]): typeof BaseSequencer =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification): number => {
        const place = names.findIndex((name) => moduleId.includes(`/${name}.`));
        return place === -1 ? names.length : place;
      };
      // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own method
      return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
    }
  };
