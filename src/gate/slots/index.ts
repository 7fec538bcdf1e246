export { slots } from './projection.ts';
export {
  isCurrent,
  lockResource,
  type SlotRow,
  slotKey,
  takeSlot,
} from './slot.ts';
