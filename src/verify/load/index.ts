export { applyLoad, noLoad } from './load.ts';
