export { followOutput } from './follow.ts';
