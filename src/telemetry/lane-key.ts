const keyForm = /^[A-Za-z0-9_-]{1,64}$/;

/** The text if it has the form of a lane's key, else an empty text. */
export function laneKey(text: string): string {
  return keyForm.test(text) ? text : '';
}
