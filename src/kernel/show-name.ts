import { sharedLimits } from './limits.ts';

/**
 * A name that somebody else chose, in a sentence. Names are shown as they are; whatever could be
 * read as more than a name stands in quotes, on one line, so that it can't pass for our own words.
 */
export function showName(name: string): string {
  if (name.length <= sharedLimits.shownNameCharsMax && /^[\w./:@[\]{}*-]+$/.test(name)) return name;
  const isLong = name.length > sharedLimits.shownNameCharsMax;
  const text = JSON.stringify(isLong ? name.slice(0, sharedLimits.shownNameCharsMax) : name);
  return isLong ? `${text}… (${name.length} characters)` : text;
}

/** `GET /orders/:id`: each by itself, so that neither has to stand in quotes for the space. */
export function showCall(call: string): string {
  const [method = '', ...path] = call.split(' ');
  return [method, path.join(' ')]
    .filter((part) => part !== '')
    .map(showName)
    .join(' ');
}
