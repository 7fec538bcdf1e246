/** True in `npm run test:deep`, which runs every file that imports this one. */
export const isDeep: boolean = process.env.SURETY_TEST_DEEP === '1';

/** How many random cases a test tries: a few in each run of the tests, many in the deep one. */
export const runs = (usual: number, deep: number): number => (isDeep ? deep : usual);
