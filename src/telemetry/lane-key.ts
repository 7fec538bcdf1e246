const keyForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The key of a lane, as far as its letters tell; of anything else, none. */
export function laneKey(text: string): string {
  return keyForm.test(text) ? text : '';
}
