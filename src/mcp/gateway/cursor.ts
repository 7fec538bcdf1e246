/** Where a list over several servers goes on: which of them, and where in its own list. */
export interface ListCursor {
  readonly server: number;
  readonly within?: string;
}

/** With one server its own cursor is passed on as it is. */
export function writeCursor({ server, within }: ListCursor, isOnly: boolean): string {
  if (isOnly && within !== undefined) return within;
  return Buffer.from(JSON.stringify([server, within ?? null])).toString('base64url');
}

/** Undefined: nobody here made it. */
export function readCursor(text: string | undefined, isOnly: boolean): ListCursor | undefined {
  if (text === undefined) return { server: 0 };
  if (isOnly) return { server: 0, within: text };
  try {
    const [server, within] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    // Servers are gone through from there on: from far below it would never end.
    if (!Number.isSafeInteger(server) || Number(server) < 0) return undefined;
    return { server: server as number, ...(typeof within === 'string' ? { within } : {}) };
  } catch {
    return undefined;
  }
}
