/** The value, or the fallback where there is none: a file that is gone, a text that is no JSON. */
export function tryOr<Value, Fallback = Value>(
  read: () => Value,
  fallback: Fallback,
): Value | Fallback {
  try {
    return read();
  } catch {
    return fallback;
  }
}
