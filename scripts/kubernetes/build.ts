import { buildPrograms, cacheDirectory } from './binaries.ts';

/** Fills the cache from which `npm run test:kubernetes` starts its cluster. */
buildPrograms((line) => process.stdout.write(`${line}\n`));
process.stdout.write(`The programs of the test cluster are in ${cacheDirectory}.\n`);
