export { type LoadResult, noLoad, putLoad } from './load.ts';
