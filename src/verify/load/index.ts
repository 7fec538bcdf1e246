export { type LoadResult, putLoad } from './load.ts';
