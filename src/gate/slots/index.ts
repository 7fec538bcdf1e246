export { slots } from './projection.ts';
export {
  isCurrent,
  type SlotRow,
  slotKey,
  takeSlot,
} from './slot.ts';
