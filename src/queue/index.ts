export { isMine, keyOf, type MessageHeaders, onBehalfOf, ownName, withKey } from './queue.ts';
