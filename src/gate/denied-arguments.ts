import type { JsonObject } from '../kernel/index.ts';
import { gateLimits } from './limits.ts';

export function argumentsBytes(given: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(given));
}

/**
 * What the ledger keeps of the arguments of a denied call: all of them, or as many small ones as
 * fit, and the size of the others. The entry has the hash of the whole.
 */
export function boundDeniedArguments(given: JsonObject): JsonObject {
  let left = gateLimits.deniedArgumentsBytesMax;
  if (argumentsBytes(given) <= left) return given;
  const kept: Record<string, JsonObject[string]> = {};
  for (const [name, value] of Object.entries(given)) {
    const bytes = Buffer.byteLength(JSON.stringify([name, value]));
    const isSmall = bytes <= gateLimits.deniedArgumentsBytesMax / 4;
    const shown = isSmall ? value : `[cut: ${bytes} bytes]`;
    const shownName = isSmall ? name : name.slice(0, nameCharsMax);
    left -= Buffer.byteLength(JSON.stringify([shownName, shown]));
    if (left < noteBytes) break;
    kept[shownName] = shown;
  }
  const rest = Object.keys(given).length - Object.keys(kept).length;
  return rest === 0 ? kept : { ...kept, '[cut]': `${rest} more` };
}

const nameCharsMax = 100;

/** Room for the note about what was left out. */
const noteBytes = 64;
