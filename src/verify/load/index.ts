export { noLoad, putLoad } from './load.ts';
