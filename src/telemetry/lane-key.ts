import { sha256 } from '../kernel/index.ts';

const keyForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The text if it has the form of a lane's key, else an empty text. */
export function laneKey(text: string): string {
  return keyForm.test(text) ? text : '';
}

/**
 * The lane in labels of metrics. Anybody on this machine can read `/metrics`, and who knows the key
 * of a lane can send requests into it.
 */
export function laneLabel(lane: string): string {
  return lane === '' ? '' : sha256(lane).slice(0, 12);
}

/** `orders/lane_…/run_…` with the label in place of the key. */
export function instanceLabel(instance: string): string {
  return instance.replace(/\/(lane_[^/]*)\//, (_, lane: string) => `/lane-${laneLabel(lane)}/`);
}
